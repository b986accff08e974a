/** Why an edit is refused. Codes are stable: new ones may be added, existing ones never renamed. */
export type EditErrorCode =
  /** The request is invalid for every node. */
  | 'invalid-taint'
  | 'duplicate-taint'
  | 'conflicting-taints'
  | 'invalid-label'
  | 'conflicting-labels'
  | 'no-change-requested'
  | 'too-many-edits'
  /** The request conflicts with the node's present state. */
  | 'taint-exists'
  | 'taint-not-found'
  | 'label-exists'
  | 'too-many-taints'
  /** The API server would refuse the resulting node. */
  | 'invalid-node';

/** An error of kubectl itself; the message is kubectl's without the prefix `error: `. */
export class KubectlError extends Error {
  override readonly name = 'KubectlError';

  constructor(
    readonly code: EditErrorCode,
    message: string,
  ) {
    super(message);
  }
}
