import { readFile, rm, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from './process-identity.js';

/** Another living process serves this data folder. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';

  constructor(folder: string, pid: number) {
    super(
      `the data folder ${folder} is in use by another process (${pid}); stop it first, or set DATA_DIR to another ` +
        'folder, or DATABASE_URL to let several replicas share one database',
    );
  }
}

/** The mark of the process that serves a data folder, so that a second one is refused and a dead one's rest is cleared. */
export class FolderLock {
  private constructor(private readonly path: string) {}

  /** @throws {DataFolderInUse} */
  static async acquire(folder: string): Promise<FolderLock> {
    const path = join(folder, 'service.lock');
    for (let attempt = 0; ; attempt++) {
      try {
        await writeFile(path, processIdentity(process.pid) ?? `${process.pid}:`, { flag: 'wx', mode: 0o644 });
        return new FolderLock(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt === 3) throw error;
      }
      const holder = await readFile(path, 'utf8').catch(() => '');
      const pid = Number(holder.split(':')[0]);
      if (pid > 0 && processIdentity(pid) === holder) throw new DataFolderInUse(folder, pid);
      await rm(path, { force: true });
    }
  }

  /** Synchronous, so that it may run while the process exits. */
  release(): void {
    rmSync(this.path, { force: true });
  }
}
