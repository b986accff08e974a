import { Document, isCollection, isScalar, visit } from 'yaml';

/** Collections whose JSON is at most this long are written on one line. */
const MAX_LINE_LENGTH = 3000;

/** Always written on one line, whatever their length, since they are read as a whole. */
const IN_ONE_LINE = new Set<unknown>(['example', 'examples', 'value', 'required', 'enum', 'mapping']);

/**
 * Serializes the document as YAML. Quotes strings that YAML 1.1 reads as booleans, such as `on`, and strings with a
 * question mark, which PyYAML takes for a key inside braces. Short collections are written on one line, which shrinks
 * the document by a quarter.
 */
export function openapiYaml(content: object): string {
  const document = new Document(content, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Pair(_key, { key, value }) {
      if (isCollection(value) && isScalar(key) && IN_ONE_LINE.has(key.value)) value.flow = true;
    },
    Scalar(_key, node) {
      if (typeof node.value === 'string' && node.value.includes('?')) node.type = 'QUOTE_DOUBLE';
    },
    Collection(_key, node) {
      if (JSON.stringify(node).length <= MAX_LINE_LENGTH) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false, flowCollectionPadding: false });
}
