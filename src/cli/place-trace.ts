import { gatesOf } from '../core/kubernetes/toleration.js';
import { Command, CommanderError } from 'commander';
import { readFile } from 'node:fs/promises';
import { ClusterState } from '../core/cluster/cluster-state.js';
import { QuantityError } from '../core/kubernetes/quantity.js';
import { DEFAULT_PROFILE } from '../core/scheduler-configuration/default-profile.js';
import { profilePlugins } from '../core/scheduling/profile-plugins.js';
import { SchedulingRun, type RunDecision } from '../core/scheduling/run/scheduling-run.js';
import { readNodes, readPods, TraceError } from './trace/openb-trace.js';
import { PodProgress } from './trace/pod-progress.js';
import { traceTable } from './trace/trace-table.js';

interface Options {
  readonly nodes: string;
  readonly pods: string;
}

const BAD_USE = 2;

const command = new Command('place-trace')
  .description('Places the pods of a trace one after another, as kube-scheduler would if it evaluated every node.')
  .option('--nodes <file>', 'sn,cpu_milli,memory_mib,gpu,model', 'demo/traces/openb/nodes.csv')
  .option(
    '--pods <file>',
    'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time',
    'demo/traces/openb/pods.csv',
  )
  .exitOverride();

async function placeTrace({ nodes: nodesFile, pods: podsFile }: Options): Promise<void> {
  const nodes = readNodes(await readFile(nodesFile, 'utf8'), nodesFile);
  const pods = readPods(await readFile(podsFile, 'utf8'), podsFile);
  const state = ClusterState.build(nodes, ['Node', 'Pod', 'Namespace', 'DeviceClass', 'RuntimeClass']);
  const progress = new PodProgress(process.stderr, pods.length);
  const started = performance.now();
  const run = new SchedulingRun(state, profilePlugins(DEFAULT_PROFILE, gatesOf(state.rules)));
  const decisions: RunDecision[] = [];
  let placed = 0;
  for (const pod of pods) {
    const decision = run.schedule(pod);
    decisions.push(decision);
    if (decision.outcome === 'placed') placed++;
    progress.tell(decisions.length, placed);
  }
  const seconds = (performance.now() - started) / 1000;
  progress.end();
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say(
    `${placed} of ${pods.length} pods placed on ${nodes.length} nodes in ${seconds.toFixed(2)} s: ${Math.round(pods.length / seconds)} pods per second, every node evaluated`,
  );
  say('');
  for (const line of traceTable(run.state(), decisions)) say(line);
}

try {
  command.parse();
  await placeTrace(command.opts<Options>());
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : BAD_USE;
  } else if (error instanceof TraceError || error instanceof QuantityError || isMissingFile(error)) {
    process.stderr.write(`place-trace: ${error.message}\n`);
    process.exitCode = BAD_USE;
  } else {
    throw error;
  }
}

function isMissingFile(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EISDIR');
}
