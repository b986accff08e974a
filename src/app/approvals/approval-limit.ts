/** The longest that a change may wait for approval. */
export const MAX_APPROVAL_SECONDS = 30 * 86_400;

/** How long a change waits for approval, unless it says until when. */
export class ApprovalLimit {
  constructor(private readonly seconds: number) {}

  /** @param expiresAt when the change would be reverted: from then on there is nothing to approve */
  endOf(asked: Date, approveBy: Date | undefined, expiresAt: Date | undefined): Date {
    const end = approveBy ?? new Date(asked.getTime() + this.seconds * 1000);
    return expiresAt !== undefined && expiresAt < end ? expiresAt : end;
  }
}
