import type { gate, gateObjectName } from '../../contract/gates/gate.js';
import type { Response } from '../../contract/schema.js';

/** The answer of a gate. */
export type GateAnswer = Response<typeof gate>;

export type GateObjectName = Response<typeof gateObjectName>;

/** `Deployment shop/web`. */
export function nameOfObject({ kind, namespace, name }: Pick<GateObjectName, 'kind' | 'namespace' | 'name'>): string {
  const called = name === '' ? '(generated name)' : name;
  return `${kind} ${namespace === null ? called : `${namespace}/${called}`}`;
}

export const isSame = (a: GateObjectName | null, b: GateObjectName): boolean =>
  a !== null &&
  a.kind === b.kind &&
  a.apiVersion === b.apiVersion &&
  a.namespace === b.namespace &&
  a.name === b.name &&
  a.pointer === b.pointer &&
  a.document === b.document;

/** Without what moves the cursor of a terminal or cannot be written in XML; a line break stays. */
export const printable = (text: string): string =>
  text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    '\ufffd',
  );
