import { PERMISSIONS } from '../../auth/permission.js';
import type { AnswerTo } from '../../contract/question.js';
import type { readCaller } from '../../contract/sessions/caller.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';

/** Who asks, and what the caller may do. */
export class ReadCaller {
  run(
    { cluster }: RequestOf<typeof readCaller>,
    { caller: { name, kind, groups }, access }: RequestContext,
  ): Promise<AnswerTo<typeof readCaller>> {
    const may = PERMISSIONS.filter((permission) =>
      cluster === undefined ? access.mayEverywhere(permission) : access.may(permission, cluster),
    );
    return Promise.resolve({ name, kind, groups, permissions: may });
  }
}
