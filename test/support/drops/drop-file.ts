import { appendFileSync, existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Drop } from './drops.ts'

const PIECES = 12
const PAUSE_MS = 60

/** Drops a file as people and programs do. Waits first until there is no file of the same name. */
export async function dropFile(project: string, { name, content, how, into }: Drop): Promise<void> {
  const path = join(project, into, name)
  while (existsSync(path)) await sleep(PAUSE_MS)
  if (how === 'copied') return writeFileSync(path, content)
  if (how === 'marked') {
    writeFileSync(path, content)
    return writeFileSync(`${path}.done`, '')
  }
  if (how === 'renamed') {
    writeFileSync(`${path}.part`, content)
    return renameSync(`${path}.part`, path)
  }
  writeFileSync(path, '')
  const step = Math.ceil(content.length / PIECES)
  for (let from = 0; from < content.length; from += step) {
    appendFileSync(path, content.subarray(from, from + step))
    await sleep(PAUSE_MS)
  }
}
