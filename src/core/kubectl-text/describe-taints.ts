import { compare } from '../json/compare.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { alignColumns } from './align-columns.js';

/** The width of `CreationTimestamp:`, which is above a node's taints. */
const BESIDE_CREATION_TIMESTAMP = 20;
/** The width of `Node-Selectors:`, which is above a pod's tolerations. */
const BESIDE_NODE_SELECTORS = 17;

/**
 * The lines of `kubectl describe node` that show its taints, by effect, then by key; equal ones keep their order.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/describe/describe.go, `printTaintsMultilineWithIndent`.
 */
export function describeTaints(taints: readonly Partial<Taint>[]): string {
  const shown = taints
    .map((taint): Taint => ({ ...taint, key: taint.key ?? '', effect: taint.effect ?? '' }))
    .map((taint) => ({ taint, order: `${taint.effect},${taint.key}` }))
    .sort((a, b) => compare(a.order, b.order));
  return section(
    'Taints',
    shown.map(({ taint }) => formatTaint(taint)),
    BESIDE_CREATION_TIMESTAMP,
  );
}

/**
 * The lines of `kubectl describe pod` that show its tolerations, by key; equal ones keep their order. `op=Exists` is
 * shown only if there is no value; other operators are not shown.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/describe/describe.go, `printTolerationsMultilineWithIndent`.
 */
export function describeTolerations(tolerations: readonly Toleration[]): string {
  const shown = [...tolerations].sort((a, b) => compare(a.key ?? '', b.key ?? ''));
  return section('Tolerations', shown.map(formatToleration), BESIDE_NODE_SELECTORS);
}

function formatToleration({ key = '', operator, value = '', effect = '', tolerationSeconds }: Toleration): string {
  const what = `${key}${value === '' ? '' : `=${value}`}${effect === '' ? '' : `:${effect}`}`;
  const exists = operator === 'Exists' && value === '' ? `${key === '' && effect === '' ? '' : ' '}op=Exists` : '';
  return `${what}${exists}${tolerationSeconds === undefined ? '' : ` for ${tolerationSeconds}s`}`;
}

function section(title: string, lines: readonly string[], atLeast: number): string {
  const texts = lines.length === 0 ? ['<none>'] : lines;
  return alignColumns(
    texts.map((text, index) => `${index === 0 ? `${title}:` : ''}\t${text}`),
    { atLeast },
  );
}
