/** A worker cannot start; the message is for operators. */
export class WorkerFailed extends Error {
  override readonly name = 'WorkerFailed';
}
