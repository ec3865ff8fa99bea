#include "simcore.h"
#include <cuda_runtime_api.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>
#include <sys/mman.h>
#include <dlfcn.h>
#include <unistd.h>
using namespace std;
static uint64_t now(){timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec*1000000000ull+t.tv_nsec;}
static thread_local cudaError_t last=cudaSuccess;
#define curdev sim_dev()
#define ndev sim_ndev
static mutex M; typedef SimFn Fn; static map<const void*,Fn*> fns; struct Al{size_t n;int dev;int host;}; static map<uintptr_t,Al> allocs;
API void** __cudaRegisterFatBinary(void*p){ static void*h[4]; return h; }
API void __cudaRegisterFatBinaryEnd(void**){}
API void __cudaUnregisterFatBinary(void**){}
API char __cudaInitModule(void**){return 0;}
API void __cudaRegisterFunction(void**,const char*host,char*,const char*name,int,uint3*,uint3*,dim3*,dim3*,int*){lock_guard<mutex>g(M);fns[host]=new Fn{name,nullptr,0};}
API void __cudaRegisterVar(void**,char*host,char*dev,const char*name,int ext,size_t sz,int c,int g){}
API void __cudaRegisterManagedVar(void**,void**,char*,const char*,int,size_t,int,int){}
API void __cudaRegisterHostVar(void**,const char*,char*,size_t){}
struct Cfg{dim3 g,b;size_t sh;cudaStream_t s;}; static thread_local vector<Cfg> cfgs;
API unsigned __cudaPushCallConfiguration(dim3 g,dim3 b,size_t sh,struct CUstream_st*s){cfgs.push_back({g,b,sh,(cudaStream_t)s});return 0;}
API cudaError_t __cudaPopCallConfiguration(dim3*g,dim3*b,size_t*sh,void*s){auto c=cfgs.back();cfgs.pop_back();*g=c.g;*b=c.b;*sh=c.sh;*(cudaStream_t*)s=c.s;return cudaSuccess;}
static Fn* fn(const void*f){lock_guard<mutex>g(M);auto it=fns.find(f);return it==fns.end()?(Fn*)nullptr:it->second;}
const char* sim_rt_name(const void*f){auto k=fn(f);return k?k->name:nullptr;}
static cudaError_t launch(Fn*k,dim3 g,dim3 b,cudaStream_t s,size_t sh,void**a){unsigned G[3]={g.x,g.y,g.z},B[3]={b.x,b.y,b.z};sim_launch_fn(k,G,B,sh,s,a,1);return cudaSuccess;}
API cudaError_t __cudaGetKernel(cudaKernel_t*k,const void*f){*k=(cudaKernel_t)fn(f);return *k?cudaSuccess:cudaErrorInvalidDeviceFunction;}
API cudaError_t __cudaLaunchKernel(cudaKernel_t k,dim3 g,dim3 b,void**a,size_t sh,cudaStream_t s){return launch((Fn*)k,g,b,s,sh,a);}
API cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t k,dim3 g,dim3 b,void**a,size_t sh,cudaStream_t s){return launch((Fn*)k,g,b,s,sh,a);}
API cudaError_t cudaLaunchKernel(const void*f,dim3 g,dim3 b,void**a,size_t sh,cudaStream_t s){return launch(fn(f),g,b,s,sh,a);}
API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*c,const void*f,void**a){return launch(fn(f),c->gridDim,c->blockDim,c->stream,c->dynamicSmemBytes,a);}
API cudaError_t cudaLaunchCooperativeKernel(const void*f,dim3 g,dim3 b,void**a,size_t sh,cudaStream_t s){return cudaLaunchKernel(f,g,b,a,sh,s);}
API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*a,const void*f){memset(a,0,sizeof*a);a->maxThreadsPerBlock=1024;a->numRegs=32;a->binaryVersion=90;a->ptxVersion=90;a->maxDynamicSharedSizeBytes=232448;return cudaSuccess;}
API cudaError_t cudaFuncSetAttribute(const void*,cudaFuncAttribute,int){return cudaSuccess;}
API cudaError_t cudaFuncGetName(const char**n,const void*f){auto k=fn(f);*n=k?k->name:"?";return cudaSuccess;}
API cudaError_t cudaFuncSetCacheConfig(const void*,cudaFuncCache){return cudaSuccess;}
API cudaError_t cudaGetFuncBySymbol(cudaFunction_t*f,const void*s){*f=(cudaFunction_t)fn(s);return cudaSuccess;}
API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*n,const void*,int,size_t){*n=2;return cudaSuccess;}
API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int*n,const void*,int,size_t,unsigned){*n=2;return cudaSuccess;}
API cudaError_t cudaOccupancyMaxActiveClusters(int*n,const void*,const cudaLaunchConfig_t*){*n=16;return cudaSuccess;}
API cudaError_t cudaDriverGetVersion(int*v){sim_inject();*v=13000;return cudaSuccess;}
API cudaError_t cudaRuntimeGetVersion(int*v){*v=13000;return cudaSuccess;}
API cudaError_t cudaGetDeviceCount(int*n){sim_inject();*n=ndev();return cudaSuccess;}
API cudaError_t cudaGetDevice(int*d){sim_inject();*d=curdev;return cudaSuccess;}
API cudaError_t cudaSetDevice(int d){sim_inject();if(d<0||d>=ndev())return last=cudaErrorInvalidDevice;sim_set_dev(d);return cudaSuccess;}
API cudaError_t cudaInitDevice(int d,unsigned,unsigned){sim_set_dev(d);return cudaSuccess;}
API cudaError_t cudaGetDeviceProperties(cudaDeviceProp*p,int d){sim_inject();memset(p,0,sizeof*p);snprintf(p->name,sizeof p->name,"Simulated GPU (no hardware)");
 p->totalGlobalMem=80ull<<30;p->sharedMemPerBlock=49152;p->regsPerBlock=65536;p->warpSize=32;p->maxThreadsPerBlock=1024;p->maxThreadsDim[0]=p->maxThreadsDim[1]=1024;p->maxThreadsDim[2]=64;
 p->maxGridSize[0]=2147483647;p->maxGridSize[1]=p->maxGridSize[2]=65535;p->totalConstMem=65536;p->major=9;p->minor=0;p->textureAlignment=512;p->multiProcessorCount=132;p->concurrentKernels=1;p->unifiedAddressing=1;p->memoryBusWidth=5120;p->l2CacheSize=52428800;p->maxThreadsPerMultiProcessor=2048;p->managedMemory=1;p->sharedMemPerMultiprocessor=233472;p->regsPerMultiprocessor=65536;p->cooperativeLaunch=1;p->sharedMemPerBlockOptin=232448;p->maxBlocksPerMultiProcessor=32;p->memoryPoolsSupported=1;p->pciBusID=1+d;p->uuid.bytes[0]=d+1;return cudaSuccess;}
API cudaError_t cudaDeviceGetAttribute(int*v,cudaDeviceAttr a,int d){cudaDeviceProp p;cudaGetDeviceProperties(&p,d);switch(a){case cudaDevAttrMultiProcessorCount:*v=132;break;case cudaDevAttrComputeCapabilityMajor:*v=9;break;case cudaDevAttrComputeCapabilityMinor:*v=0;break;case cudaDevAttrMaxSharedMemoryPerBlockOptin:*v=232448;break;case cudaDevAttrMaxSharedMemoryPerBlock:*v=49152;break;case cudaDevAttrMaxThreadsPerBlock:*v=1024;break;case cudaDevAttrWarpSize:*v=32;break;case cudaDevAttrMaxThreadsPerMultiProcessor:*v=2048;break;case cudaDevAttrMaxGridDimX:*v=2147483647;break;case cudaDevAttrMaxGridDimY:case cudaDevAttrMaxGridDimZ:*v=65535;break;case cudaDevAttrMemoryPoolsSupported:*v=1;break;case cudaDevAttrUnifiedAddressing:*v=1;break;case cudaDevAttrCooperativeLaunch:*v=1;break;case cudaDevAttrClockRate:*v=1980000;break;case cudaDevAttrMaxRegistersPerBlock:case cudaDevAttrMaxRegistersPerMultiprocessor:*v=65536;break;case cudaDevAttrL2CacheSize:*v=52428800;break;case cudaDevAttrMaxSharedMemoryPerMultiprocessor:*v=233472;break;default:*v=0;}return cudaSuccess;}
API cudaError_t cudaDeviceGetPCIBusId(char*s,int n,int d){snprintf(s,n,"0000:%02x:00.0",d+1);return cudaSuccess;}
API cudaError_t cudaDeviceGetByPCIBusId(int*d,const char*){*d=0;return cudaSuccess;}
API cudaError_t cudaDeviceCanAccessPeer(int*c,int,int){*c=0;return cudaSuccess;}
API cudaError_t cudaDeviceGetStreamPriorityRange(int*a,int*b){*a=0;*b=-5;return cudaSuccess;}
API cudaError_t cudaDeviceSynchronize(){sim_sync_device(curdev);return cudaSuccess;}
API cudaError_t cudaDeviceReset(){return cudaSuccess;}
API cudaError_t cudaDeviceGetLimit(size_t*v,cudaLimit){*v=1<<20;return cudaSuccess;}
API cudaError_t cudaGetLastError(){auto l=last;last=cudaSuccess;return l;}
API cudaError_t cudaPeekAtLastError(){return last;}
API const char* cudaGetErrorString(cudaError_t e){return e?"simulated error":"no error";}
API const char* cudaGetErrorName(cudaError_t e){return e?"cudaErrorSim":"cudaSuccess";}
static cudaError_t alloc(void**p,size_t n,int host=0){size_t m=(n+4095)/4096*4096;if(!m)m=4096;void*q=mmap(0,m,PROT_READ|PROT_WRITE,MAP_PRIVATE|MAP_ANONYMOUS|MAP_NORESERVE,-1,0);if(q==MAP_FAILED)return last=cudaErrorMemoryAllocation;lock_guard<mutex>g(M);allocs[(uintptr_t)q]={m,curdev,host};*p=q;return cudaSuccess;}
static cudaError_t dealloc(void*p){if(!p)return cudaSuccess;lock_guard<mutex>g(M);auto it=allocs.find((uintptr_t)p);if(it==allocs.end())return cudaErrorInvalidValue;munmap(p,it->second.n);allocs.erase(it);return cudaSuccess;}
API cudaError_t cudaMalloc(void**p,size_t n){sim_inject();return alloc(p,n);}
API cudaError_t cudaFree(void*p){sim_inject();return dealloc(p);}
API cudaError_t cudaMallocAsync(void**p,size_t n,cudaStream_t){return alloc(p,n);}
API cudaError_t cudaFreeAsync(void*p,cudaStream_t){return dealloc(p);}
API cudaError_t cudaMallocHost(void**p,size_t n){return alloc(p,n,1);}
API cudaError_t cudaHostAlloc(void**p,size_t n,unsigned){return alloc(p,n,1);}
API cudaError_t cudaFreeHost(void*p){return dealloc(p);}
API cudaError_t cudaMallocManaged(void**p,size_t n,unsigned){return alloc(p,n);}
API cudaError_t cudaHostRegister(void*,size_t,unsigned){return cudaSuccess;}
API cudaError_t cudaHostUnregister(void*){return cudaSuccess;}
API cudaError_t cudaHostGetDevicePointer(void**d,void*h,unsigned){*d=h;return cudaSuccess;}
API cudaError_t cudaMemGetInfo(size_t*f,size_t*t){*t=80ull<<30;*f=70ull<<30;return cudaSuccess;}
API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*a,const void*p){memset(a,0,sizeof*a);lock_guard<mutex>g(M);auto it=allocs.upper_bound((uintptr_t)p);if(it!=allocs.begin()&&(--it,(uintptr_t)p<it->first+it->second.n)){a->type=it->second.host?cudaMemoryTypeHost:cudaMemoryTypeDevice;a->device=it->second.dev;a->hostPointer=it->second.host?(void*)p:nullptr;a->devicePointer=(void*)p;}else a->type=cudaMemoryTypeUnregistered;return cudaSuccess;}
static int mkind(const void*p){lock_guard<mutex>g(M);auto it=allocs.upper_bound((uintptr_t)p);if(it!=allocs.begin()&&(--it,(uintptr_t)p<it->first+it->second.n))return it->second.host?2:3;return 1;}
static void copy(void*d,const void*s,size_t n,cudaStream_t st,function<void()> body,bool sync){SimOp o;o.kind=OP_MEMCPY;o.bytes=n;o.srcKind=mkind(s);o.dstKind=mkind(d);bool sd=o.srcKind==3,dd=o.dstKind==3;o.copyKind=sd?(dd?8:2):(dd?1:9);o.body=move(body);sim_enqueue(o,st);if(sync)sim_sync_stream(st,3);}
#define MM [=]{memmove(d,s,n);}
API cudaError_t cudaMemcpy(void*d,const void*s,size_t n,cudaMemcpyKind){copy(d,s,n,0,MM,true);return cudaSuccess;}
API cudaError_t cudaMemcpyAsync(void*d,const void*s,size_t n,cudaMemcpyKind,cudaStream_t st){copy(d,s,n,st,MM,false);return cudaSuccess;}
API cudaError_t cudaMemcpyPeerAsync(void*d,int,const void*s,int,size_t n,cudaStream_t st){copy(d,s,n,st,MM,false);return cudaSuccess;}
API cudaError_t cudaMemcpy2DAsync(void*d,size_t dp,const void*s,size_t sp,size_t w,size_t h,cudaMemcpyKind,cudaStream_t st){copy(d,s,w*h,st,[=]{for(size_t i=0;i<h;i++)memmove((char*)d+i*dp,(char*)s+i*sp,w);},false);return cudaSuccess;}
static void set(void*d,int v,size_t n,cudaStream_t st){SimOp o;o.kind=OP_MEMSET;o.bytes=n;o.value=v;o.dstKind=mkind(d);o.body=[=]{memset(d,v,n);};sim_enqueue(o,st);}
API cudaError_t cudaMemset(void*d,int v,size_t n){set(d,v,n,0);return cudaSuccess;}
API cudaError_t cudaMemsetAsync(void*d,int v,size_t n,cudaStream_t st){set(d,v,n,st);return cudaSuccess;}
API cudaError_t cudaMemcpyToSymbol(const void*,const void*,size_t,size_t,cudaMemcpyKind){return cudaSuccess;}
API cudaError_t cudaMemcpyToSymbolAsync(const void*,const void*,size_t,size_t,cudaMemcpyKind,cudaStream_t){return cudaSuccess;}
API cudaError_t cudaGetSymbolAddress(void**p,const void*s){static map<const void*,void*> m;lock_guard<mutex>g(M);auto&x=m[s];if(!x)x=calloc(1,1<<16);*p=x;return cudaSuccess;}
API cudaError_t cudaStreamCreate(cudaStream_t*s){*s=(cudaStream_t)sim_stream_create();return cudaSuccess;}
API cudaError_t cudaStreamCreateWithFlags(cudaStream_t*s,unsigned){*s=(cudaStream_t)sim_stream_create();return cudaSuccess;}
API cudaError_t cudaStreamCreateWithPriority(cudaStream_t*s,unsigned,int){*s=(cudaStream_t)sim_stream_create();return cudaSuccess;}
API cudaError_t cudaStreamDestroy(cudaStream_t){return cudaSuccess;}
API cudaError_t cudaStreamSynchronize(cudaStream_t s){sim_sync_stream(s,3);return cudaSuccess;}
API cudaError_t cudaStreamQuery(cudaStream_t s){return sim_realtime()&&sim_stream_tail(s)>sim_now()?cudaErrorNotReady:cudaSuccess;}
API cudaError_t cudaStreamGetPriority(cudaStream_t,int*p){*p=0;return cudaSuccess;}
API cudaError_t cudaStreamGetFlags(cudaStream_t,unsigned*p){*p=0;return cudaSuccess;}
API cudaError_t cudaStreamGetId(cudaStream_t s,unsigned long long*p){*p=sim_stream_id(s);return cudaSuccess;}
API cudaError_t cudaStreamGetDevice(cudaStream_t s,int*d){*d=curdev;return cudaSuccess;}
API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*){return cudaSuccess;}
API cudaError_t cudaStreamBeginCapture(cudaStream_t s,cudaStreamCaptureMode){return sim_capture_begin(s)?cudaErrorStreamCaptureUnsupported:cudaSuccess;}
API cudaError_t cudaStreamEndCapture(cudaStream_t s,cudaGraph_t*g){return sim_capture_end(s,(void**)g)?cudaErrorStreamCaptureInvalidated:cudaSuccess;}
API cudaError_t cudaStreamIsCapturing(cudaStream_t s,cudaStreamCaptureStatus*c){*c=sim_capture_status(s,nullptr,nullptr)?cudaStreamCaptureStatusActive:cudaStreamCaptureStatusNone;return cudaSuccess;}
API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s,cudaStreamCaptureStatus*c,unsigned long long*id,cudaGraph_t*g,const cudaGraphNode_t**deps,const cudaGraphEdgeData**e,size_t*nd){*c=sim_capture_status(s,id,(void**)g)?cudaStreamCaptureStatusActive:cudaStreamCaptureStatusNone;if(deps)*deps=nullptr;if(e)*e=nullptr;if(nd)*nd=0;return cudaSuccess;}
API cudaError_t cudaGraphCreate(cudaGraph_t*g,unsigned){*g=(cudaGraph_t)sim_graph_new();return cudaSuccess;}
API cudaError_t cudaGraphDestroy(cudaGraph_t g){sim_graph_free(g);return cudaSuccess;}
API cudaError_t cudaGraphGetNodes(cudaGraph_t g,cudaGraphNode_t*n,size_t*c){size_t k=sim_graph_size(g);if(n){if(*c>k)*c=k;for(size_t i=0;i<*c;i++)sim_graph_node(g,i,(void**)&n[i]);}else *c=k;return cudaSuccess;}
API cudaError_t cudaGraphInstantiate(cudaGraphExec_t*e,cudaGraph_t g,unsigned long long){*e=(cudaGraphExec_t)sim_graph_instantiate(g);return cudaSuccess;}
API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t*e,cudaGraph_t g,unsigned long long){*e=(cudaGraphExec_t)sim_graph_instantiate(g);return cudaSuccess;}
API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e){sim_graph_exec_free(e);return cudaSuccess;}
API cudaError_t cudaGraphUpload(cudaGraphExec_t,cudaStream_t){return cudaSuccess;}
API cudaError_t cudaGraphLaunch(cudaGraphExec_t e,cudaStream_t s){sim_graph_launch(e,s);return cudaSuccess;}
API cudaError_t cudaUserObjectCreate(cudaUserObject_t*o,void*,cudaHostFn_t,unsigned,unsigned){static int x;*o=(cudaUserObject_t)&x;return cudaSuccess;}
API cudaError_t cudaLaunchHostFunc(cudaStream_t s,cudaHostFn_t f,void*u){SimOp o;o.kind=OP_HOST;o.body=[=]{f(u);};sim_enqueue(o,s);return cudaSuccess;}
struct Ev{uint64_t t;void*cap;};
API cudaError_t cudaEventCreate(cudaEvent_t*e){*e=(cudaEvent_t)new Ev{0,nullptr};return cudaSuccess;}
API cudaError_t cudaEventCreateWithFlags(cudaEvent_t*e,unsigned){*e=(cudaEvent_t)new Ev{0,nullptr};return cudaSuccess;}
API cudaError_t cudaEventDestroy(cudaEvent_t e){delete(Ev*)e;return cudaSuccess;}
static void evrec(Ev*e,cudaStream_t s){e->cap=sim_capture_graph(s);if(!e->cap){uint64_t t=sim_stream_tail(s),n=sim_now();e->t=t>n?t:n;}}
API cudaError_t cudaEventRecord(cudaEvent_t e,cudaStream_t s){evrec((Ev*)e,s);return cudaSuccess;}
API cudaError_t cudaEventRecordWithFlags(cudaEvent_t e,cudaStream_t s,unsigned){evrec((Ev*)e,s);return cudaSuccess;}
API cudaError_t cudaStreamWaitEvent(cudaStream_t s,cudaEvent_t e,unsigned){auto v=(Ev*)e;if(v->cap)sim_capture_join(s,v->cap);else if(v->t)sim_stream_wait_until(s,v->t);return cudaSuccess;}
API cudaError_t cudaEventQuery(cudaEvent_t e){return sim_realtime()&&((Ev*)e)->t>sim_now()?cudaErrorNotReady:cudaSuccess;}
API cudaError_t cudaEventSynchronize(cudaEvent_t e){if(sim_realtime())while(((Ev*)e)->t>sim_now());return cudaSuccess;}
API cudaError_t cudaEventElapsedTime(float*ms,cudaEvent_t a,cudaEvent_t b){*ms=((int64_t)((Ev*)b)->t-(int64_t)((Ev*)a)->t)/1e6f;return cudaSuccess;}
API cudaError_t cudaGetDriverEntryPoint(const char*n,void**p,unsigned long long,cudaDriverEntryPointQueryResult*r){if(sim_log_level()>1)fprintf(stderr,"[sim] entrypoint %s\n",n);static void*h=sim_open_beside("libcuda.so.1");*p=h?dlsym(h,n):nullptr;if(r)*r=*p?cudaDriverEntryPointSuccess:cudaDriverEntryPointSymbolNotFound;return cudaSuccess;}
API cudaError_t cudaGetDriverEntryPointByVersion(const char*n,void**p,unsigned v,unsigned long long f,cudaDriverEntryPointQueryResult*r){return cudaGetDriverEntryPoint(n,p,f,r);}
API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*p,int){static int x;*p=(cudaMemPool_t)&x;return cudaSuccess;}
API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t*p,int){static int x;*p=(cudaMemPool_t)&x;return cudaSuccess;}
API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t,cudaMemPoolAttr,void*){return cudaSuccess;}
API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t,cudaMemPoolAttr,void*v){*(uint64_t*)v=0;return cudaSuccess;}
API cudaError_t cudaProfilerStart(){return cudaSuccess;}
API cudaError_t cudaProfilerStop(){return cudaSuccess;}
