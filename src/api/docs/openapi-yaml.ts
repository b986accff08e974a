import { Document, isCollection, isScalar, visit } from 'yaml';

/** Collections whose JSON is no longer than this stand in one line. */
const LONGEST_LINE = 3000;

/** However long: they are read as a whole or not at all. */
const IN_ONE_LINE = new Set<unknown>(['example', 'examples', 'value', 'required', 'enum', 'mapping']);

/**
 * The document as YAML. Words that YAML 1.1 reads as a boolean, such as `on`, are quoted, and so is text with a question mark, which PyYAML
 * takes for a key within braces; what is short stands in one line, which makes the
 * document a quarter smaller.
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
      if (JSON.stringify(node).length <= LONGEST_LINE) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false, flowCollectionPadding: false });
}
