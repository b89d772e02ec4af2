import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Mutant, makeMutants } from './make-mutants.ts'

export interface Change extends Mutant {
  readonly file: string
  readonly source: string
}

export function filesOf(root: string, folder: string): string[] {
  return readdirSync(join(root, 'src', folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('src', folder, name))
}

/**
 * Changes of any of the files, in random order, so that the changes tried before an early end are a sample, too. The
 * same for the same seed and unchanged files. No two overlap.
 */
export function sample(
  files: readonly string[],
  { seed, size, sourceOf }: { seed: string; size: number; sourceOf: (file: string) => string },
): Change[] {
  const all = files.flatMap((file) => {
    const source = sourceOf(file)
    return makeMutants(source).map((mutant) => ({ ...mutant, file, source }))
  })
  const key = ({ file, start, end, text }: Change) =>
    createHash('sha256').update(`${seed} ${file} ${start} ${end} ${text}`).digest('hex')
  const ordered = all.map((one) => ({ one, key: key(one) })).sort((a, b) => (a.key < b.key ? -1 : 1))
  const chosen: Change[] = []
  for (const { one } of ordered) {
    if (chosen.length === size) break
    if (!chosen.some((other) => other.file === one.file && overlap(other, one))) chosen.push(one)
  }
  return chosen
}

export function show({ file, source, start, end, text }: Change): string {
  const brief = (part: string) => (part.length > 80 ? `${part.slice(0, 77)}…` : part).replaceAll(/\s+/g, ' ')
  return `${file}:${source.slice(0, start).split('\n').length}: ${brief(source.slice(start, end))} → ${brief(text)}`
}

function overlap({ whole: a }: Change, { whole: b }: Change): boolean {
  return a.start < b.end && b.start < a.end
}
