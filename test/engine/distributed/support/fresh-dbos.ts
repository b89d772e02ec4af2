import { createRequire } from 'node:module'
import type { DbosPackage } from '../../../../src/engine/distributed/dbos.ts'

const require = createRequire(import.meta.url)

/** Another instance of the DBOS package: an instance supports one worker per process, and tests need several. */
export function freshDbos(): DbosPackage {
  for (const file of Object.keys(require.cache)) if (file.includes('/@dbos-inc/')) delete require.cache[file]
  return require('@dbos-inc/dbos-sdk')
}
