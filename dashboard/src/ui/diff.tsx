import './diff.css';

interface Line {
  readonly sign: ' ' | '+' | '-';
  readonly text: string;
}

const MAX_LINES = 2000;

/** The lines of two texts, as `diff` has them. */
export function diffLines(before: string, after: string): readonly Line[] {
  const [a, b] = [before.trimEnd().split('\n'), after.trimEnd().split('\n')];
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  let end = 0;
  while (end < a.length - from && end < b.length - from && a.at(-1 - end) === b.at(-1 - end)) end++;
  const line = (sign: Line['sign']) => (text: string) => ({ sign, text });
  const [left, right] = [a.slice(from, a.length - end), b.slice(from, b.length - end)];
  const middle =
    left.length > MAX_LINES || right.length > MAX_LINES
      ? [...left.map(line('-')), ...right.map(line('+'))]
      : changedLines(left, right);
  return [...a.slice(0, from).map(line(' ')), ...middle, ...a.slice(a.length - end).map(line(' '))];
}

/** By the longest common subsequence. */
function changedLines(a: readonly string[], b: readonly string[]): readonly Line[] {
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i++]! });
      j++;
    } else if (j >= b.length || (i < a.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      lines.push({ sign: '-', text: a[i++]! });
    } else lines.push({ sign: '+', text: b[j++]! });
  }
  return lines;
}

/** Lines around a change that are shown with it. */
const AROUND = 3;

/** What changes between two texts, with a few lines around it. */
export function Diff({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}) {
  const lines = diffLines(before, after);
  const changed = lines.flatMap(({ sign }, at) => (sign === ' ' ? [] : [at]));
  return (
    <pre className="diff" aria-label={label} role="group" tabIndex={0}>
      {lines.map(({ sign, text }, at) => {
        if (!changed.some((one) => Math.abs(one - at) <= AROUND)) return null;
        return (
          <span key={at} data-sign={sign}>
            {sign} <bdi>{text}</bdi>
            {'\n'}
          </span>
        );
      })}
    </pre>
  );
}
