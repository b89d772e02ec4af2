/**
 * `npm run generate`: writes every file that is derived from the code. The validators come first, because the modules
 * behind the other files import them. A build makes only the validators (`--validators`): if it wrote the committed
 * files too, no test could detect that they are out of date.
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

/** Does not rewrite an unchanged file, because another process may be reading it. */
function write(path: string, text: string): void {
  const file = new URL(path, root)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  mkdirSync(new URL('./', file), { recursive: true })
  writeFileSync(file, text)
}
