/**
 * `npm run generate`: everything that is derived from the code, written to where it belongs. The validators come first,
 * because the modules that the rest is derived from import them. A build makes the validators alone (`--validators`):
 * if it wrote the committed files too, no test could ever find them out of date.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { compiledSchemas } from './schemas.ts'
import { validatorsModule } from './validators.ts'

const root = new URL('../../', import.meta.url)

write('src/generated/validators.ts', validatorsModule(compiledSchemas()))

if (!process.argv.includes('--validators')) {
  const { generatedFiles } = await import('./generated-files.ts')
  for (const { path, text } of await generatedFiles()) write(path, text)
}

/** Leaves a file alone that is right already, because somebody may be reading it. */
function write(path: string, text: string): void {
  const file = new URL(path, root)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  mkdirSync(new URL('./', file), { recursive: true })
  writeFileSync(file, text)
}
