import { counted, isSame, nameOfObject, printable, type GateAnswer } from './gate-names.js';

type Reason = GateAnswer['reasons'][number];
type GateObject = GateAnswer['objects'][number];

/**
 * A gate as JUnit XML: a test case for each object, which fails for reasons of the verdict `no`, is in error if something is unknown, and
 * is skipped if the object was not looked at; another test case for what is about no object of the request.
 */
export function gateJunit(answer: GateAnswer): string {
  const { basis, objects, reasons, warnings, summary, verdict } = answer;
  const about = (object: GateObject): readonly Reason[] => reasons.filter((reason) => isSame(reason.object, object));
  const others = reasons.filter(({ object }) => object === null || !objects.some((one) => isSame(object, one)));
  const cases = [
    ...objects.map((object) => ({
      classname: object.kind,
      name: nameOfObject(object),
      reasons: about(object),
      skipped: object.outcome === 'notLookedAt' ? (object.message ?? 'not looked at') : undefined,
      output: warnings.filter((warning) => isSame(warning.object, object)).map(({ message }) => message),
    })),
    ...(others.length > 0 || objects.length === 0
      ? [{ classname: 'Gate', name: 'request', reasons: others, skipped: undefined, output: [] }]
      : []),
  ];
  const suite = `gate ${basis.cluster}`;
  const counts = attributes({
    tests: cases.length,
    failures: cases.filter((one) => outcomeOf(one.reasons) === 'failure').length,
    errors: cases.filter((one) => outcomeOf(one.reasons) === 'error').length,
    skipped: cases.filter((one) => outcomeOf(one.reasons) === undefined && one.skipped !== undefined).length,
  });
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: suite })}${counts}>`,
    `  <testsuite${attributes({ name: suite })}${counts}>`,
    '    <properties>',
    ...Object.entries({ verdict, summary, cluster: basis.cluster, revision: basis.revision }).map(
      ([name, value]) => `      <property${attributes({ name, value })}/>`,
    ),
    '    </properties>',
    ...cases.flatMap(({ classname, name, reasons: own, skipped, output }) => {
      const inner = [
        ...reasonLines(own),
        ...(own.length === 0 && skipped !== undefined ? [`      <skipped${attributes({ message: skipped })}/>`] : []),
        ...(output.length > 0 ? [`      <system-out>${escaped(output.join('\n'))}</system-out>`] : []),
      ];
      const head = `    <testcase${attributes({ classname, name })}`;
      return inner.length === 0 ? [`${head}/>`] : [`${head}>`, ...inner, '    </testcase>'];
    }),
    '  </testsuite>',
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

const outcomeOf = (reasons: readonly Reason[]): 'failure' | 'error' | undefined => {
  if (reasons.length === 0) return undefined;
  return reasons.some(({ verdict }) => verdict === 'no') ? 'failure' : 'error';
};

/** One element for all reasons: readers of the format take no more than one. */
function reasonLines(reasons: readonly Reason[]): readonly string[] {
  const [first] = reasons;
  const element = outcomeOf(reasons);
  if (first === undefined || element === undefined) return [];
  const text = reasons
    .map(({ message, pods }) => (pods > 0 ? `${counted(pods, 'pod')}: ${message}` : message))
    .join('\n');
  return [`      <${element}${attributes({ message: first.message, type: first.code })}>${escaped(text)}</${element}>`];
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replace(/\n/g, '&#10;')}"`)
    .join('');
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => printable(text).replace(/[&<>"]/g, (one) => ESCAPES[one]!);
