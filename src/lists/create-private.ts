import { chmod, open } from 'node:fs/promises'

/** Creates the file that DuckDB writes to, so that only its owner can ever read it. */
export async function createPrivate(file: string): Promise<void> {
  await (await open(file, 'w', 0o600)).close()
  await chmod(file, 0o600)
}
