#pragma once
#include "sim.h"
#include <cuda.h>
#include <functional>
struct SimFn{const char*name;void*mod;unsigned nparams;};
enum{SIM_DRIVER=0,SIM_RUNTIME=1};
enum{SIM_CB=1,SIM_ACT=2,SIM_TRACE=4};            // bits of sim_on
extern "C" uint8_t sim_on[2][1024];
struct SimFrame{int dom;uint32_t cbid;const char*fname;const void*params;void*ret;const char*sym;uint64_t cdata;uint32_t corr;uint64_t t0,t1;SimFrame*up;uint8_t on;};
enum{OP_KERNEL,OP_MEMCPY,OP_MEMSET,OP_HOST,OP_SYNC,OP_GRAPH};
struct SimOp{int kind=OP_KERNEL;const char*name=nullptr;unsigned g[3]={1,1,1},b[3]={1,1,1};unsigned smem=0;uint64_t bytes=0;double flops=0,mbytes=0;int copyKind=0,srcKind=0,dstKind=0;int value=0;
 std::function<void()> body; // host-side effect (copies), run at enqueue or at replay
 int dev=0;uint32_t stream=0;uint32_t corr=0;uint64_t start=0,end=0;uint32_t graphId=0;uint64_t nodeId=0;int syncType=0;};
struct SimSink{void(*api)(SimFrame*,int exit);void(*op)(const SimOp*);void(*resource)(int cbid,void*ctx,void*stream,void*desc);};
extern "C" {
extern SimSink*sim_sink;
void sim_enter(SimFrame*f);void sim_exit(SimFrame*f);uint32_t sim_cur_corr();
void sim_inject();int sim_ndev();int sim_dev();void sim_set_dev(int);
void*sim_ctx(int d);int sim_ctx_dev(void*c);
uint64_t sim_now();uint32_t sim_stream_id(void*s);
void sim_stream_wait_until(void*s,uint64_t t);uint64_t sim_stream_tail(void*s);
void sim_sync_stream(void*s,int type);void sim_sync_device(int d);int sim_realtime();
void*sim_stream_create();
int sim_capture_begin(void*s);int sim_capture_end(void*s,void**graph);int sim_capture_status(void*s,unsigned long long*id,void**g);
void*sim_capture_graph(void*s);void sim_capture_join(void*s,void*graph);
void*sim_graph_new();void sim_graph_free(void*);size_t sim_graph_size(void*);void sim_graph_node(void*,size_t,void**);void*sim_graph_instantiate(void*);void sim_graph_exec_free(void*);void sim_graph_launch(void*exec,void*s);
uint32_t sim_graph_id(void*);uint64_t sim_node_id(void*);uint32_t sim_graph_exec_id(void*);
int sim_launch_named(const char*n,void*s,unsigned g);
int sim_launch_lib(const char*n,void*s,unsigned gx,unsigned gy,unsigned gz,unsigned bx,double flops,double bytes,int driver);
}
extern "C" {
extern int sim_entry_watched;          // SIMCALLS or a refusing fault script is active
int sim_entry(const char*name);        // counts the call; not 0: status to return instead of working
void sim_call_enter(const char*name);void sim_call_exit();const char*sim_call_name(); // outermost library call of this thread
void*sim_open_beside(const char*soname); // dlopen of a stand-in in the folder of libsimcore.so
}
struct SimCallScope{explicit SimCallScope(const char*n){sim_call_enter(n);}~SimCallScope(){sim_call_exit();}SimCallScope(const SimCallScope&)=delete;};
void sim_enqueue(SimOp&op,void*s);
void sim_launch_fn(const SimFn*f,const unsigned g[3],const unsigned b[3],unsigned smem,void*s,void**args,int nested);
