import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Compiles the sources as the package is, beside what others may be building; returns the folder. */
export function compileSources(): string {
  const main = join(import.meta.dirname, '..', '..')
  // Below both node_modules, so that the sources find their packages.
  const folder = join(import.meta.dirname, '..', 'node_modules', '.cache', 'audience-compiled')
  const args = [join(main, 'node_modules', '.bin', 'tsc'), '-p', join(main, 'tsconfig.build.json'), '--outDir', folder]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the sources do not compile:\n${stdout}`)
  return folder
}
