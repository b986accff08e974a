/** The extension points, in the order in which a framework fills them (`getExtensionPoints`). */
export const EXTENSION_POINTS = [
  'preFilter',
  'filter',
  'postFilter',
  'reserve',
  'preScore',
  'score',
  'preBind',
  'bind',
  'postBind',
  'permit',
  'preEnqueue',
  'queueSort',
  'placementGenerate',
  'placementScore',
] as const;

export type ExtensionPoint = (typeof EXTENSION_POINTS)[number];
