import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { program } from '../../rolldown.config.mjs'

/**
 * Bundles a script with the sources that it imports, as the package is built, and returns the file. Type stripping and
 * hundreds of modules would add memory and time to the measurement.
 */
export async function bundle(script: string): Promise<string> {
  // Below both folders of packages, so that the bundle finds its packages.
  const dir = join(import.meta.dirname, '..', 'node_modules', '.cache', 'audience-bench')
  const build = await rolldown({ ...program, cwd: join(import.meta.dirname, '..', '..'), input: { script } })
  const { output } = await build.write({ dir, format: 'esm', cleanDir: true, entryFileNames: '[name].mjs' })
  await build.close()
  return join(dir, output[0].fileName)
}
