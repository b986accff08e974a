import type { Node } from '../../core/kubernetes/objects/node.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';

/**
 * Thousandths of GPUs, so that a pod can request a share of one. The assignment of shares to single GPUs of a node is
 * not modeled.
 */
export const GPU_RESOURCE = 'alibabacloud.com/gpu-milli';
export const MODEL_LABEL = 'gpu.example.com/model';
const NAMESPACE = 'openb';
/** The kubelet's default of maxPods. */
const PODS_PER_NODE = 110;

/** An invalid file, with the line and the reason. */
export class TraceError extends Error {
  constructor(
    readonly file: string,
    readonly line: number,
    why: string,
  ) {
    super(`${file}:${line}: ${why}`);
    this.name = 'TraceError';
  }
}

/**
 * Reads the nodes of a trace in the format of Alibaba's openb: `sn,cpu_milli,memory_mib,gpu,model`.
 * @throws {TraceError}
 */
export function readNodes(text: string, file: string): readonly Node[] {
  return rowsOf(text, file, ['sn', 'cpu_milli', 'memory_mib', 'gpu', 'model']).map((row): Node => {
    const name = row.text('sn');
    const gpus = row.count('gpu');
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: { 'kubernetes.io/hostname': name, ...(gpus > 0 ? { [MODEL_LABEL]: row.text('model') } : {}) },
      },
      status: {
        allocatable: {
          cpu: `${row.count('cpu_milli')}m`,
          memory: `${row.count('memory_mib')}Mi`,
          pods: String(PODS_PER_NODE),
          ...(gpus > 0 ? { [GPU_RESOURCE]: String(gpus * 1000) } : {}),
        },
      },
    };
  });
}

/**
 * Reads the pods of a trace in order of creation:
 * `name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,…,creation_time,…`. A pod that names GPU models
 * (`V100M16|V100M32`) requires one of them.
 * @throws {TraceError}
 */
export function readPods(text: string, file: string): readonly Pod[] {
  const columns = ['name', 'cpu_milli', 'memory_mib', 'num_gpu', 'gpu_milli', 'gpu_spec', 'creation_time'];
  return rowsOf(text, file, columns)
    .map((row) => ({ made: row.count('creation_time'), pod: podOf(row) }))
    .sort((a, b) => a.made - b.made)
    .map(({ pod }) => pod);
}

function podOf(row: Row): Pod {
  const gpu = row.count('num_gpu') * row.count('gpu_milli');
  const models = row
    .text('gpu_spec')
    .split('|')
    .filter((model) => model !== '');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: NAMESPACE, name: row.text('name') },
    spec: {
      containers: [
        {
          name: 'main',
          resources: {
            requests: {
              cpu: `${row.count('cpu_milli')}m`,
              memory: `${row.count('memory_mib')}Mi`,
              ...(gpu > 0 ? { [GPU_RESOURCE]: String(gpu) } : {}),
            },
          },
        },
      ],
      ...(models.length === 0 ? {} : { affinity: { nodeAffinity: oneOf(models) } }),
    },
  };
}

const oneOf = (models: readonly string[]) => ({
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: MODEL_LABEL, operator: 'In', values: models }] }],
  },
});

class Row {
  constructor(
    private readonly file: string,
    private readonly line: number,
    private readonly cells: ReadonlyMap<string, string>,
  ) {}

  text(column: string): string {
    return this.cells.get(column) ?? '';
  }

  count(column: string): number {
    const text = this.text(column);
    const value = Number(text);
    if (text === '' || !Number.isSafeInteger(value) || value < 0) {
      throw new TraceError(this.file, this.line, `${column} must be a whole number, not ${JSON.stringify(text)}`);
    }
    return value;
  }
}

function rowsOf(text: string, file: string, needed: readonly string[]): readonly Row[] {
  const [head = '', ...lines] = text.split(/\r?\n/);
  const columns = head.split(',');
  const missing = needed.filter((column) => !columns.includes(column));
  if (missing.length > 0) throw new TraceError(file, 1, `these columns are missing: ${missing.join(', ')}`);
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    const cells = line.split(',');
    return [new Row(file, index + 2, new Map(columns.map((column, place) => [column, cells[place] ?? ''])))];
  });
}
