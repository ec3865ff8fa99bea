// libsimcore.so: device timeline, streams, contexts, stream capture/graphs, API frames shared by the stand-ins
#include "simcore.h"
#include <cuda_runtime_api.h>
#include "meta_compat.h"
#include <generated_cuda_runtime_api_meta.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>
#include <unordered_map>
#include <unistd.h>
using namespace std;
#define EXP __attribute__((visibility("default")))
extern "C" EXP uint8_t sim_on[2][1024]={};
extern "C" EXP SimSink*sim_sink=nullptr;
static atomic<uint32_t> g_corr{0}; static thread_local SimFrame*top=nullptr;
struct Node{SimOp op;uint64_t id;}; struct Graph{uint32_t id;vector<Node*> n;}; struct Exec{uint32_t id,gid;vector<Node*> n;};
struct Stream{uint32_t id;int dev;atomic<uint64_t> tail{0};Graph*cap=nullptr;unsigned long long capid=0;bool origin=false;};
static mutex M; static Stream*defs[64]; static atomic<uint32_t> g_sid{7},g_gid{0},g_eid{0}; static atomic<uint64_t> g_nid{0}; static atomic<unsigned long long> g_cap{0};
static vector<Stream*> all;
static int ctxs[64]; static thread_local int curdev=0;
extern "C" EXP int sim_ndev(){static int n=getenv("SIM_DEVICES")?atoi(getenv("SIM_DEVICES")):2;return n;}
extern "C" EXP int sim_dev(){return curdev;} extern "C" EXP void sim_set_dev(int d){curdev=d;}
extern "C" EXP void*sim_ctx(int d){return &ctxs[d];} extern "C" EXP int sim_ctx_dev(void*c){long d=(int*)c-ctxs;return d>=0&&d<64?(int)d:0;}
extern "C" EXP uint64_t sim_now(){timespec t;clock_gettime(CLOCK_REALTIME,&t);return t.tv_sec*1000000000ull+t.tv_nsec;}
extern "C" EXP int sim_realtime(){static int r=getenv("SIM_REALTIME")?atoi(getenv("SIM_REALTIME")):0;return r;}
static Stream*S(void*s){ if((uintptr_t)s>2)return (Stream*)s; auto&d=defs[curdev]; if(!d){lock_guard<mutex>g(M);if(!d){auto x=new Stream;x->id=7;x->dev=curdev;all.push_back(x);d=x;}} return d;}
extern "C" EXP void*sim_stream_create(){auto x=new Stream;x->id=++g_sid;x->dev=curdev;{lock_guard<mutex>g(M);all.push_back(x);} if(sim_sink&&sim_sink->resource)sim_sink->resource(3,sim_ctx(x->dev),x,nullptr);return x;}
extern "C" EXP uint32_t sim_stream_id(void*s){return S(s)->id;}
extern "C" EXP uint64_t sim_stream_tail(void*s){return S(s)->tail;}
extern "C" EXP void sim_stream_wait_until(void*s,uint64_t t){auto x=S(s);uint64_t o=x->tail;while(o<t&&!x->tail.compare_exchange_weak(o,t));}
static void waitfor(uint64_t t){ if(!sim_realtime())return; for(;;){uint64_t n=sim_now();if(n>=t)break;uint64_t d=t-n;if(d>100000){timespec ts{(time_t)(d/1000000000),(long)(d%1000000000)};nanosleep(&ts,0);}}}
static void syncrec(Stream*x,int type,uint64_t t0){if(sim_sink){SimOp o;o.kind=OP_SYNC;o.syncType=type;o.dev=x?x->dev:curdev;o.stream=x?x->id:0xFFFFFFFFu;o.corr=sim_cur_corr();o.start=t0;o.end=sim_now();sim_sink->op(&o);}}
extern "C" EXP void sim_sync_stream(void*s,int type){auto x=S(s);uint64_t t0=sim_now();waitfor(x->tail);syncrec(x,type,t0);}
extern "C" EXP void sim_sync_device(int d){uint64_t t0=sim_now(),m=0;{lock_guard<mutex>g(M);for(auto x:all)if(x->dev==d&&x->tail>m)m=x->tail;}waitfor(m);syncrec(nullptr,4,t0);}

#include <dlfcn.h>
typedef int(*inj_t)();
extern "C" EXP void sim_inject(){static once_flag o;call_once(o,[]{const char*p=getenv("CUDA_INJECTION64_PATH");if(!p||!*p||!strcmp(p,"none"))return;void*h=dlopen(p,RTLD_LAZY);if(!h){if(sim_log_level())fprintf(stderr,"[sim] injection: %s\n",dlerror());return;}auto f=(inj_t)dlsym(h,"InitializeInjection");if(f)f();});}
// ---- API frames
extern "C" EXP uint32_t sim_cur_corr(){return top?top->corr:0;}
extern "C" EXP void sim_enter(SimFrame*f){f->up=top;f->on=sim_on[f->dom][f->cbid];f->corr=top?top->corr:++g_corr;top=f;f->cdata=0;f->t0=sim_now();if(sim_sink)sim_sink->api(f,0);}
extern "C" EXP void sim_exit(SimFrame*f){f->t1=sim_now();if(sim_sink)sim_sink->api(f,1);top=f->up;}
// ---- durations: 2 us launch latency on the device side, then a roofline for known work, else waves of blocks
static double PF=400e12,PB=3.0e12;
static uint64_t dur(const SimOp&o){ switch(o.kind){
 case OP_KERNEL:{ if(o.flops>0||o.mbytes>0)return (uint64_t)(1500+1e9*max(o.flops/PF,o.mbytes/PB)); double th=(double)o.g[0]*o.g[1]*o.g[2]*o.b[0]*o.b[1]*o.b[2]; return (uint64_t)(1500+th*16/PB*1e9);}
 case OP_MEMCPY: return (uint64_t)(1000+o.bytes/(o.copyKind==8?PB/2:50e9)*1e9); case OP_MEMSET: return (uint64_t)(1000+o.bytes/PB*1e9); default:return 0;}}
static atomic<long> nk{0};
static void exec_on(SimOp&o,Stream*x,uint64_t lat){ o.dev=x->dev;o.stream=x->id;uint64_t d=dur(o),n=sim_now()+lat,old=x->tail,st; do{st=max(n,old);}while(!x->tail.compare_exchange_weak(old,st+d)); o.start=st;o.end=st+d; if(o.body)o.body(); if(o.kind==OP_KERNEL)nk++; if(sim_sink&&o.kind!=OP_HOST)sim_sink->op(&o);}
EXP void sim_enqueue(SimOp&o,void*s){auto x=S(s);o.corr=sim_cur_corr();
 if(x->cap){auto n=new Node{o,++g_nid};n->op.graphId=x->cap->id;n->op.nodeId=n->id;{lock_guard<mutex>g(M);x->cap->n.push_back(n);} if(sim_sink&&sim_sink->resource)sim_sink->resource(13,x->cap,n,(void*)(intptr_t)o.kind);return;}
 exec_on(o,x,2000);}
EXP void sim_launch_fn(const SimFn*f,const unsigned g[3],const unsigned b[3],unsigned smem,void*s,void**args,int nested){
 const char*n=f?f->name:"?";
 if(sim_log_level()>0)fprintf(stderr,"[sim] launch %s <<<%u,%u,%u;%u,%u,%u>>> s=%p\n",n,g[0],g[1],g[2],b[0],b[1],b[2],s);
 SimFrame fr; cuLaunchKernel_params p; CUresult r=CUDA_SUCCESS; bool nf=nested&&(sim_on[SIM_DRIVER][CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel]&SIM_CB);
 if(nf){p={(CUfunction)f,g[0],g[1],g[2],b[0],b[1],b[2],smem,(CUstream)s,args,nullptr};fr.dom=SIM_DRIVER;fr.cbid=CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;fr.fname="cuLaunchKernel";fr.params=&p;fr.ret=&r;fr.sym=n;sim_enter(&fr);}
 SimOp o;o.name=n;memcpy(o.g,g,12);memcpy(o.b,b,12);o.smem=smem;sim_enqueue(o,s);
 if(nf)sim_exit(&fr);}
// a closed library (cuBLAS, cuDNN, NCCL) launches a kernel with its own runtime (driver=0: cudaLaunchKernelExC) or with the driver (cuLaunchKernelEx)
extern "C" EXP int sim_launch_lib(const char*n,void*s,unsigned gx,unsigned gy,unsigned gz,unsigned bx,double flops,double bytes,int driver){
 static mutex LM; static unordered_map<string,SimFn*> tab; SimFn*f; {lock_guard<mutex>g(LM);auto&e=tab[n];if(!e)e=new SimFn{strdup(n),nullptr,0};f=e;}
 if(sim_log_level()>0)fprintf(stderr,"[sim] liblaunch %s <<<%u,%u,%u;%u>>> s=%p flops=%.0f\n",n,gx,gy,gz,bx,s,flops);
 int dom=driver?SIM_DRIVER:SIM_RUNTIME;uint32_t cb=driver?(uint32_t)CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:(uint32_t)CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060;
 SimFrame fr,f2;cudaLaunchConfig_t c={};cudaLaunchKernelExC_v11060_params p;CUlaunchConfig dc={};cuLaunchKernelEx_params dp;cuLaunchKernel_params np;int r=0,r2=0;bool a=sim_on[dom][cb],nf=!driver&&(sim_on[SIM_DRIVER][CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel]&SIM_CB);
 if(a){ if(driver){dc.gridDimX=gx;dc.gridDimY=gy;dc.gridDimZ=gz;dc.blockDimX=bx;dc.blockDimY=dc.blockDimZ=1;dc.hStream=(CUstream)s;dp={&dc,(CUfunction)f,nullptr,nullptr};fr.params=&dp;fr.fname="cuLaunchKernelEx";}
  else{c.gridDim=dim3(gx,gy,gz);c.blockDim=dim3(bx);c.stream=(cudaStream_t)s;p={&c,f,nullptr};fr.params=&p;fr.fname="cudaLaunchKernelExC";}
  fr.dom=dom;fr.cbid=cb;fr.ret=&r;fr.sym=f->name;sim_enter(&fr);}
 if(nf){np={(CUfunction)f,gx,gy,gz,bx,1,1,0,(CUstream)s,nullptr,nullptr};f2.dom=SIM_DRIVER;f2.cbid=CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;f2.fname="cuLaunchKernel";f2.params=&np;f2.ret=&r2;f2.sym=f->name;sim_enter(&f2);}
 SimOp o;o.name=f->name;o.g[0]=gx;o.g[1]=gy;o.g[2]=gz;o.b[0]=bx;o.flops=flops;o.mbytes=bytes;sim_enqueue(o,s);
 if(nf)sim_exit(&f2); if(a)sim_exit(&fr);return 0;}
extern "C" EXP int sim_launch_named(const char*n,void*s,unsigned g){return sim_launch_lib(n,s,g,1,1,256,0,0,0);}
// ---- capture
extern "C" EXP void*sim_graph_new(){auto g=new Graph{++g_gid};if(sim_sink&&sim_sink->resource)sim_sink->resource(9,g,nullptr,nullptr);return g;}
extern "C" EXP int sim_capture_begin(void*s){auto x=S(s);if(x->cap)return 1;x->cap=(Graph*)sim_graph_new();x->capid=++g_cap;x->origin=true;return 0;}
extern "C" EXP int sim_capture_end(void*s,void**g){auto x=S(s);if(!x->cap)return 1;auto c=x->cap;*g=c;lock_guard<mutex>l(M);for(auto y:all)if(y->cap==c){y->cap=nullptr;y->origin=false;y->capid=0;}return 0;}
extern "C" EXP int sim_capture_status(void*s,unsigned long long*id,void**g){auto x=S(s);if(id)*id=x->capid;if(g)*g=x->cap;return x->cap?1:0;}
extern "C" EXP void*sim_capture_graph(void*s){return S(s)->cap;}
extern "C" EXP void sim_capture_join(void*s,void*g){auto x=S(s);if(x->cap||!g)return;x->cap=(Graph*)g;lock_guard<mutex>l(M);for(auto y:all)if(y->cap==g&&y->origin)x->capid=y->capid;}
extern "C" EXP void sim_graph_free(void*){} extern "C" EXP size_t sim_graph_size(void*g){return ((Graph*)g)->n.size();} extern "C" EXP void sim_graph_node(void*g,size_t i,void**n){*n=((Graph*)g)->n[i];}
extern "C" EXP void*sim_graph_instantiate(void*g){auto G=(Graph*)g;auto e=new Exec{++g_eid,G->id,G->n};if(sim_sink&&sim_sink->resource)sim_sink->resource(18,g,nullptr,e);return e;}
extern "C" EXP void sim_graph_exec_free(void*e){if(sim_sink&&sim_sink->resource)sim_sink->resource(19,nullptr,nullptr,e);delete (Exec*)e;}
extern "C" EXP void sim_graph_launch(void*e,void*s){auto E=(Exec*)e;auto x=S(s);uint32_t c=sim_cur_corr();uint64_t lat=5000,b=0,e2=0;for(auto n:E->n){SimOp o=n->op;o.corr=c;o.graphId=E->id;exec_on(o,x,lat);if(!b)b=o.start;e2=o.end;} if(sim_sink){SimOp o;o.kind=OP_GRAPH;o.corr=c;o.graphId=E->id;o.start=b;o.end=e2;o.dev=x->dev;o.stream=x->id;sim_sink->op(&o);}}
extern "C" EXP uint32_t sim_graph_id(void*g){return ((Graph*)g)->id;} extern "C" EXP uint64_t sim_node_id(void*n){return ((Node*)n)->id;} extern "C" EXP uint32_t sim_graph_exec_id(void*e){return ((Exec*)e)->id;}
// ---- counts of entry points
static mutex CM; static map<string,long>*cnt; static const char*cfile=getenv("SIMCALLS");
extern "C" EXP void sim_count(const char*n){ if(!cfile)return; lock_guard<mutex>g(CM); if(!cnt)cnt=new map<string,long>; (*cnt)[n]++; }
extern "C" EXP void sim_count_dump(const char*path,int clear){lock_guard<mutex>g(CM);if(!cnt)return;FILE*f=fopen(path,"w");if(f){for(auto&k:*cnt)fprintf(f,"%8ld %s\n",k.second,k.first.c_str());fclose(f);}if(clear)cnt->clear();}
struct Bye{~Bye(){ if(getenv("SIMSTAT"))fprintf(stderr,"[sim] pid %d kernels=%ld corr=%u\n",(int)getpid(),nk.load(),g_corr.load()); if(cfile&&cnt){string p=string(cfile)+"."+to_string(getpid());FILE*f=fopen(p.c_str(),"w");if(f){for(auto&k:*cnt)fprintf(f,"%8ld %s\n",k.second,k.first.c_str());fclose(f);}}}}; 
static Bye bye_;

extern "C" EXP int sim_entry_watched=getenv("SIMCALLS")!=nullptr;
extern "C" EXP int sim_entry(const char*n){sim_count(n);return 0;}
static thread_local const char*g_call=nullptr; static thread_local int g_depth=0;
extern "C" EXP void sim_call_enter(const char*n){if(g_depth++==0)g_call=n;}
extern "C" EXP void sim_call_exit(){if(--g_depth==0)g_call=nullptr;}
extern "C" EXP const char*sim_call_name(){return g_call?g_call:"";}
extern "C" EXP void*sim_open_beside(const char*so){Dl_info i;if(!dladdr((void*)sim_open_beside,&i)||!i.dli_fname)return nullptr;string p=i.dli_fname;p.resize(p.rfind('/')+1);return dlopen((p+so).c_str(),RTLD_NOW);}
extern "C" EXP int flopsprof_simulated_gpu;int flopsprof_simulated_gpu=1;
