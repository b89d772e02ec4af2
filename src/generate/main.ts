/**
 * Writes the files that are derived from the code: with `--validators` the modules of src/generated/, otherwise the
 * committed files, which need the validators. `npm run generate` does both, one after the other. A build makes only the
 * modules: if it wrote the committed files too, no test could detect that they are out of date.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

if (process.argv.includes('--validators')) {
  const path = 'src/generated/validators.ts'
  // The schemas of step types are next to code that imports the validators, so the module has to exist first.
  if (!existsSync(new URL(path, root))) write(path, 'export const validators = {}\n')
  const { apiPathsModule, compiledSchemas, consoleSchemas, validatorsModule } = await import('./validators.ts')
  write(path, validatorsModule('validators', compiledSchemas()))
  write('src/generated/console-validators.ts', validatorsModule('consoleValidators', consoleSchemas()))
  write('src/generated/api-paths.ts', apiPathsModule())
} else {
  const { generatedFiles } = await import('./generated-files.ts')
  for (const { path, text } of await generatedFiles()) write(path, text)
}

/** Does not rewrite an unchanged file, because another process may be reading it. */
function write(path: string, text: string): void {
  const file = new URL(path, root)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  mkdirSync(new URL('./', file), { recursive: true })
  writeFileSync(file, text)
}
