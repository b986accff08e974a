import { counted } from '../../core/collections/counted.js';
import { junitXml, type JUnitCase } from '../reports/junit.js';
import { isSame, nameOfObject, printable, type GateAnswer } from './gate-names.js';

type Reason = GateAnswer['reasons'][number];

/**
 * A gate as JUnit XML: a test case for each object, which fails for reasons of the verdict `no`, is in error if something is unknown, and
 * is skipped if the object was not looked at; another test case for what is about no object of the request.
 */
export function gateJunit({ basis, objects, reasons, warnings, summary, verdict }: GateAnswer): string {
  const ofObjects = objects.map((object): JUnitCase => {
    const own = reasons.filter((reason) => isSame(reason.object, object));
    const output = warnings.filter((warning) => isSame(warning.object, object)).map(({ message }) => message);
    const isSkipped = own.length === 0 && object.outcome === 'notLookedAt';
    return {
      classname: object.kind,
      name: printable(nameOfObject(object)),
      ...problemOf(own),
      ...(isSkipped && { skipped: printable(object.message ?? 'not looked at') }),
      ...(output.length > 0 && { output: printable(output.join('\n')) }),
    };
  });
  const others = reasons.filter(({ object }) => object === null || !objects.some((one) => isSame(object, one)));
  const ofRequest: JUnitCase = { classname: 'Gate', name: 'request', ...problemOf(others) };
  return junitXml([
    {
      name: `gate ${basis.cluster}`,
      cases: others.length > 0 || objects.length === 0 ? [...ofObjects, ofRequest] : ofObjects,
      properties: { verdict, summary: printable(summary), cluster: basis.cluster, revision: String(basis.revision) },
    },
  ]);
}

/** One for all reasons: readers of the format take no more than one of a test case. */
function problemOf(reasons: readonly Reason[]): Pick<JUnitCase, 'failure' | 'error'> {
  const [first] = reasons;
  if (first === undefined) return {};
  const lines = reasons.map(({ message, pods }) => (pods > 0 ? `${counted(pods, 'pod')}: ${message}` : message));
  const problem = {
    type: first.code,
    message: printable(first.message.replace(/\s+/g, ' ')),
    text: printable(lines.join('\n')),
  };
  return reasons.some(({ verdict }) => verdict === 'no') ? { failure: problem } : { error: problem };
}
