/** A metric family of the text format; all families here are gauges. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  /** Marks the metric as stable in its help text, as kube-state-metrics does. */
  readonly stable?: boolean;
}

/**
 * The lines before the samples of a family.
 *
 * Source: k8s.io/kube-state-metrics/v2, pkg/metric_generator/generator.go, `generateHeader`.
 */
export function familyHeader({ name, help, stable = false }: MetricFamily): string {
  return `# HELP ${name} ${stable ? '[STABLE] ' : ''}${help}\n# TYPE ${name} gauge\n`;
}

/** `a="1",b="2"`, in the order given. */
export function formatLabels(labels: readonly (readonly [name: string, value: string])[]): string {
  return labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(',');
}

/** One sample; `labels` is in the format of {@link formatLabels}. */
export function formatSample(name: string, labels: string, value: number): string {
  return `${name}{${labels}} ${formatValue(value)}\n`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['"', '\\"'],
]);

const ESCAPED = /[\\\n"]/;
const EACH_ESCAPED = new RegExp(ESCAPED, 'g');

const escapeLabel = (value: string): string =>
  ESCAPED.test(value) ? value.replace(EACH_ESCAPED, (character) => ESCAPES.get(character) ?? character) : value;

/** A number in the format of Go's `strconv.FormatFloat(value, 'g', -1, 64)`: `0.25`, `123456`, `1.2582912e+08`. */
function formatValue(value: number): string {
  if (value === 1) return '1';
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  // JavaScript writes numbers of this size without an exponent, as Go does.
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
