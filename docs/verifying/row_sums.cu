extern "C" __global__ void row_sums(const float* x, float* y, int n) {
    __shared__ float part[64];
    float sum = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x) sum += x[blockIdx.x * n + j];
    part[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
