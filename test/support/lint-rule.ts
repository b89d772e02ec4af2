import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { tempFolder } from './temp-folder.ts'

const root = resolve(import.meta.dirname, '../..')

/** A folder whose files are linted with one rule only. */
export function lintedBy(text: string): string {
  const folder = tempFolder()
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'rule.grit'), text)
  writeFileSync(
    join(folder, 'biome.json'),
    JSON.stringify({ plugins: ['./rule.grit'], linter: { rules: { preset: 'none' } } }),
  )
  return folder
}

/** What the rule finds in a folder of `lintedBy`. */
export async function lint(
  folder: string,
): Promise<readonly { readonly file: string; readonly line: number; readonly message: string }[]> {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', 'src']
  const out = await new Promise<string>((done) => {
    execFile(process.execPath, args, { cwd: folder }, (_error, stdout) => done(stdout))
  })
  const { diagnostics } = JSON.parse(out) as {
    diagnostics: readonly { message: string; location: { path: string; start: { line: number } } }[]
  }
  return diagnostics.map(({ message, location: { path, start } }) => ({ file: path, line: start.line, message }))
}
