import { isSeq, parseDocument } from 'yaml';
import type { Schemas } from '../../api/service.js';

type Operation = Schemas['GatePatchOperation'];

/** A manifest with the operations of a JSON Patch made to it; comments and order stay. Undefined if the text is not one document. */
export function patched(text: string, patch: readonly Operation[]): string | undefined {
  const document = parseDocument(text);
  if (document.errors.length > 0) return undefined;
  for (const { op, path, value } of patch) {
    const places = path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    const last = places.at(-1);
    const parent = document.getIn(places.slice(0, -1));
    if (op === 'remove') document.deleteIn(places);
    else if (op === 'add' && isSeq(parent) && typeof last === 'number') {
      parent.items.splice(last, 0, document.createNode(value));
      parent.flow = false;
    } else document.setIn(places, document.createNode(value));
  }
  // As the text is written: lists at the level of their key, or deeper.
  const indentSeq = !/^( *)[^\s#-][^\n]*:\n\1- /m.test(text);
  const flowCollectionPadding = !/[{[]\S/.test(text);
  return document.toString({ indentSeq, flowCollectionPadding, lineWidth: 0 });
}
