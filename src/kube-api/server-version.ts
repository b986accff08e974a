import type { AskPath } from './discover-kinds.js';

/**
 * The version that an API server reports, `v1.34.9-eks-abc`; null if it does not say. Everybody may ask for it by default.
 * @throws {ApiUnreachable}
 */
export async function readServerVersion(askPath: AskPath): Promise<string | null> {
  const { status, body } = await askPath('/version');
  const version = status === 200 ? body?.['gitVersion'] : undefined;
  return typeof version === 'string' ? version : null;
}
