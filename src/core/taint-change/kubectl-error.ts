/** Why an edit is refused, before or at a node. A code is a promise: it may be added, never renamed. */
export type EditErrorCode =
  /** What was asked for makes no sense, whatever the node. */
  | 'invalid-taint'
  | 'duplicate-taint'
  | 'conflicting-taints'
  | 'invalid-label'
  | 'conflicting-labels'
  | 'no-change-requested'
  | 'too-many-edits'
  /** It does not fit the node as it is. */
  | 'taint-exists'
  | 'taint-not-found'
  | 'label-exists'
  | 'too-many-taints'
  /** The API server would refuse the node that would come of it. */
  | 'invalid-node';

/** What kubectl refuses by itself; the message is its own, without the `error: ` that it prints before it. */
export class KubectlError extends Error {
  override readonly name = 'KubectlError';

  constructor(
    readonly code: EditErrorCode,
    message: string,
  ) {
    super(message);
  }
}
