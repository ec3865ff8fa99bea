#include "simcore.h"
#include <cuda.h>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>
using namespace std;
#define ndev sim_ndev
#define cur ((CUcontext)sim_ctx(sim_dev()))
static void*rt(const char*n){static void*h=dlopen("libcudart.so.13",RTLD_LAZY|RTLD_NOLOAD);return h?dlsym(h,n):nullptr;} 
API CUresult cuInit(unsigned){sim_inject();return CUDA_SUCCESS;}
API CUresult cuDriverGetVersion(int*v){*v=13000;return CUDA_SUCCESS;}
API CUresult cuDeviceGetCount(int*n){*n=ndev();return CUDA_SUCCESS;}
API CUresult cuDeviceGet(CUdevice*d,int i){*d=i;return CUDA_SUCCESS;}
API CUresult cuDeviceGetName(char*s,int n,CUdevice){snprintf(s,n,"Simulated GPU (no hardware)");return CUDA_SUCCESS;}
API CUresult cuDeviceGetAttribute(int*v,CUdevice_attribute a,CUdevice d){auto f=(int(*)(int*,int,int))rt("cudaDeviceGetAttribute");return f?(CUresult)f(v,(int)a,d):(*v=0,CUDA_SUCCESS);}
API CUresult cuDevicePrimaryCtxGetState(CUdevice,unsigned*f,int*a){*f=0;*a=1;return CUDA_SUCCESS;}
API CUresult cuDevicePrimaryCtxRetain(CUcontext*c,CUdevice d){*c=(CUcontext)sim_ctx(d);return CUDA_SUCCESS;}
API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice){return CUDA_SUCCESS;}
API CUresult cuCtxGetCurrent(CUcontext*c){*c=cur;return CUDA_SUCCESS;}
API CUresult cuCtxSetCurrent(CUcontext c){if(c)sim_set_dev(sim_ctx_dev(c));return CUDA_SUCCESS;}
API CUresult cuCtxPushCurrent_v2(CUcontext c){if(c)sim_set_dev(sim_ctx_dev(c));return CUDA_SUCCESS;}
API CUresult cuCtxPopCurrent_v2(CUcontext*c){if(c)*c=cur;return CUDA_SUCCESS;}
API CUresult cuCtxGetDevice(CUdevice*d){*d=sim_dev();return CUDA_SUCCESS;}
API CUresult cuCtxSynchronize(){sim_sync_device(sim_dev());return CUDA_SUCCESS;}
API CUresult cuCtxGetStreamPriorityRange(int*a,int*b){if(a)*a=0;if(b)*b=-5;return CUDA_SUCCESS;}
API CUresult cuGetErrorString(CUresult,const char**s){*s="simulated";return CUDA_SUCCESS;}
API CUresult cuGetErrorName(CUresult,const char**s){*s="CUDA_SIM";return CUDA_SUCCESS;}
API CUresult cuPointerGetAttribute(void*d,CUpointer_attribute a,CUdeviceptr p){ if(a==CU_POINTER_ATTRIBUTE_MEMORY_TYPE)*(unsigned*)d=2; else if(a==CU_POINTER_ATTRIBUTE_CONTEXT)*(void**)d=cur; else *(unsigned*)d=0; return CUDA_SUCCESS;}
API CUresult cuMemGetAddressRange_v2(CUdeviceptr*b,size_t*n,CUdeviceptr p){*b=p;*n=1<<20;return CUDA_SUCCESS;}
struct Mod{string img;}; typedef SimFn Fun;
API CUresult cuModuleLoadData(CUmodule*m,const void*){*m=(CUmodule)new Mod;return CUDA_SUCCESS;}
API CUresult cuModuleLoadDataEx(CUmodule*m,const void*,unsigned,CUjit_option*,void**){*m=(CUmodule)new Mod;return CUDA_SUCCESS;}
API CUresult cuModuleGetFunction(CUfunction*f,CUmodule,const char*n){*f=(CUfunction)new Fun{strdup(n),nullptr,0};return CUDA_SUCCESS;}
API CUresult cuModuleUnload(CUmodule){return CUDA_SUCCESS;}
API CUresult cuLibraryLoadData(CUlibrary*m,const void*,CUjit_option*,void**,unsigned,CUlibraryOption*,void**,unsigned){*m=(CUlibrary)new Mod;return CUDA_SUCCESS;}
API CUresult cuLibraryGetKernel(CUkernel*f,CUlibrary,const char*n){*f=(CUkernel)new Fun{strdup(n),nullptr,0};return CUDA_SUCCESS;}
API CUresult cuKernelGetFunction(CUfunction*f,CUkernel k){*f=(CUfunction)k;return CUDA_SUCCESS;}
API CUresult cuFuncGetAttribute(int*v,CUfunction_attribute a,CUfunction){*v= a==CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK?1024: a==CU_FUNC_ATTRIBUTE_NUM_REGS?32:0;return CUDA_SUCCESS;}
API CUresult cuFuncSetAttribute(CUfunction,CUfunction_attribute,int){return CUDA_SUCCESS;}
API CUresult cuFuncSetCacheConfig(CUfunction,CUfunc_cache){return CUDA_SUCCESS;}
API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int*n,CUfunction,int,size_t){*n=2;return CUDA_SUCCESS;}
API CUresult cuLaunchKernel(CUfunction f,unsigned gx,unsigned gy,unsigned gz,unsigned bx,unsigned by,unsigned bz,unsigned sh,CUstream s,void**a,void**){unsigned g[3]={gx,gy,gz},b[3]={bx,by,bz};sim_launch_fn((SimFn*)f,g,b,sh,s,a,0);return CUDA_SUCCESS;}
API CUresult cuLaunchKernelEx(const CUlaunchConfig*c,CUfunction f,void**a,void**){unsigned g[3]={c->gridDimX,c->gridDimY,c->gridDimZ},b[3]={c->blockDimX,c->blockDimY,c->blockDimZ};sim_launch_fn((SimFn*)f,g,b,c->sharedMemBytes,c->hStream,a,0);return CUDA_SUCCESS;}
API CUresult cuLaunchCooperativeKernel(CUfunction f,unsigned gx,unsigned gy,unsigned gz,unsigned bx,unsigned by,unsigned bz,unsigned sh,CUstream s,void**a){unsigned g[3]={gx,gy,gz},b[3]={bx,by,bz};sim_launch_fn((SimFn*)f,g,b,sh,s,a,0);return CUDA_SUCCESS;}
API CUresult cuStreamSynchronize(CUstream s){sim_sync_stream(s,3);return CUDA_SUCCESS;}
API CUresult cuStreamCreate(CUstream*s,unsigned){*s=(CUstream)sim_stream_create();return CUDA_SUCCESS;}
API CUresult cuStreamCreateWithPriority(CUstream*s,unsigned,int){*s=(CUstream)sim_stream_create();return CUDA_SUCCESS;}
API CUresult cuStreamDestroy_v2(CUstream){return CUDA_SUCCESS;}
API CUresult cuStreamIsCapturing(CUstream s,CUstreamCaptureStatus*c){*c=sim_capture_status(s,nullptr,nullptr)?CU_STREAM_CAPTURE_STATUS_ACTIVE:CU_STREAM_CAPTURE_STATUS_NONE;return CUDA_SUCCESS;}
API CUresult cuGraphLaunch(CUgraphExec e,CUstream s){sim_graph_launch(e,s);return CUDA_SUCCESS;}
API CUresult cuMemAlloc_v2(CUdeviceptr*p,size_t n){static auto f=(int(*)(void**,size_t))rt("impl_cudaMalloc");void*q=nullptr;if(f)f(&q,n);else q=malloc(n);*p=(CUdeviceptr)q;return CUDA_SUCCESS;}
API CUresult cuMemFree_v2(CUdeviceptr p){static auto f=(int(*)(void*))rt("impl_cudaFree");if(f)f((void*)p);else free((void*)p);return CUDA_SUCCESS;}
API CUresult cuMemHostAlloc(void**p,size_t n,unsigned){*p=calloc(1,n);return CUDA_SUCCESS;}
API CUresult cuMemFreeHost(void*p){free(p);return CUDA_SUCCESS;}
static void cp(void*d,const void*s,size_t n,CUstream st,int kind){SimOp o;o.kind=OP_MEMCPY;o.bytes=n;o.copyKind=kind;o.srcKind=kind==1?1:3;o.dstKind=kind==2?1:3;o.body=[=]{memmove(d,s,n);};sim_enqueue(o,st);}
API CUresult cuMemcpyDtoH_v2(void*d,CUdeviceptr s,size_t n){cp(d,(void*)s,n,0,2);return CUDA_SUCCESS;}
API CUresult cuMemcpyHtoD_v2(CUdeviceptr d,const void*s,size_t n){cp((void*)d,s,n,0,1);return CUDA_SUCCESS;}
API CUresult cuMemcpyDtoHAsync_v2(void*d,CUdeviceptr s,size_t n,CUstream st){cp(d,(void*)s,n,st,2);return CUDA_SUCCESS;}
API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr d,const void*s,size_t n,CUstream st){cp((void*)d,s,n,st,1);return CUDA_SUCCESS;}
API CUresult cuMemsetD8Async(CUdeviceptr d,unsigned char v,size_t n,CUstream st){SimOp o;o.kind=OP_MEMSET;o.bytes=n;o.value=v;o.body=[=]{memset((void*)d,v,n);};sim_enqueue(o,st);return CUDA_SUCCESS;}
API CUresult cuMemsetD32Async(CUdeviceptr d,unsigned v,size_t n,CUstream st){SimOp o;o.kind=OP_MEMSET;o.bytes=n*4;o.value=v;o.body=[=]{for(size_t i=0;i<n;i++)((unsigned*)d)[i]=v;};sim_enqueue(o,st);return CUDA_SUCCESS;}
API CUresult cuModuleLoad(CUmodule*m,const char*){*m=(CUmodule)new Mod;return CUDA_SUCCESS;}
API CUresult cuGetExportTable(const void**t,const CUuuid*){if(t)*t=nullptr;return CUDA_ERROR_NOT_FOUND;}
API CUresult cuDeviceTotalMem_v2(size_t*n,CUdevice){*n=80ull<<30;return CUDA_SUCCESS;}
API CUresult cuMemGetInfo_v2(size_t*f,size_t*t){*t=80ull<<30;*f=70ull<<30;return CUDA_SUCCESS;}
API CUresult cuDeviceGetPCIBusId(char*s,int n,CUdevice d){snprintf(s,n,"0000:%02x:00.0",d+1);return CUDA_SUCCESS;}
API CUresult cuDeviceGetUuid_v2(CUuuid*u,CUdevice d){memset(u,0,sizeof*u);u->bytes[0]=d+1;return CUDA_SUCCESS;}
API CUresult cuGetProcAddress_v2(const char*n,void**p,int,cuuint64_t,CUdriverProcAddressQueryResult*r){if(sim_log_level()>1)fprintf(stderr,"[sim] procaddr %s\n",n);static void*h=sim_open_beside("libcuda.so.1");*p=nullptr;string s=n;for(const char*suf:{"_v3","_v2",""}){*p=dlsym(h,(s+suf).c_str());if(*p)break;}if(r)*r=*p?CU_GET_PROC_ADDRESS_SUCCESS:CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;return *p?CUDA_SUCCESS:CUDA_ERROR_NOT_FOUND;}
