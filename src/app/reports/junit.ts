/** A test of a JUnit report. Without `failure`, `error` and `skipped` it passed. */
export interface JUnitCase {
  readonly classname: string;
  readonly name: string;
  /** In seconds. */
  readonly time?: number;
  /** What was checked does not hold. */
  readonly failure?: JUnitProblem;
  /** It could not be checked. */
  readonly error?: JUnitProblem;
  readonly skipped?: string;
  readonly output?: string;
}

export interface JUnitProblem {
  readonly type: string;
  /** One line. */
  readonly message: string;
  readonly text?: string;
}

export interface JUnitSuite {
  readonly name: string;
  readonly cases: readonly JUnitCase[];
  /** RFC 3339. */
  readonly timestamp?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

/**
 * A report in the JUnit XML format that CI systems read: `testsuites`, `testsuite`, `testcase` with `failure`, `error`,
 * `skipped` and `system-out`. Characters that XML 1.0 cannot contain are replaced with U+FFFD.
 */
export function junitXml(suites: readonly JUnitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${counts(all)}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n');
}

function suiteLines({ name, cases, timestamp, properties }: JUnitSuite): string[] {
  const entries = Object.entries(properties ?? {});
  return [
    `  <testsuite${attributes({ name, timestamp })}${counts(cases)}>`,
    ...(entries.length === 0
      ? []
      : [
          '    <properties>',
          ...entries.map(([key, value]) => `      <property${attributes({ name: key, value })}/>`),
          '    </properties>',
        ]),
    ...cases.flatMap(caseLines),
    '  </testsuite>',
  ];
}

function caseLines({ classname, name, time, failure, error, skipped, output }: JUnitCase): string[] {
  const children = [
    ...(failure === undefined ? [] : [problem('failure', failure)]),
    ...(error === undefined ? [] : [problem('error', error)]),
    ...(skipped === undefined ? [] : [`      <skipped${attributes({ message: skipped })}/>`]),
    ...(output === undefined ? [] : [`      <system-out>${escaped(output)}</system-out>`]),
  ];
  const start = `    <testcase${attributes({ classname, name, time: time?.toFixed(3) })}`;
  return children.length === 0 ? [`${start}/>`] : [`${start}>`, ...children, '    </testcase>'];
}

function problem(element: 'failure' | 'error', { type, message, text = '' }: JUnitProblem): string {
  return `      <${element}${attributes({ type, message })}>${escaped(text)}</${element}>`;
}

function counts(cases: readonly JUnitCase[]): string {
  const count = (has: (one: JUnitCase) => boolean): string => String(cases.filter(has).length);
  return attributes({
    tests: String(cases.length),
    failures: count(({ failure }) => failure !== undefined),
    errors: count(({ error }) => error !== undefined),
    skipped: count(({ skipped }) => skipped !== undefined),
  });
}

function attributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escaped(value)}"`))
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text for an element or an attribute; line breaks and tabs survive in both. */
function escaped(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')

    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (found) => ENTITIES[found]!)
    .replace(/[\t\n\r]/g, (found) => `&#${found.charCodeAt(0)};`);
}
