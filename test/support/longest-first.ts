import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const tests = resolve(import.meta.dirname, '..')

/**
 * The files that take longest begin, and the others fill the time beside them: whole systems first, then by what Vitest has
 * measured here. In a fresh checkout, which has measured nothing, by the text that a file tests with.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = new Map(
      (await super.sort(files)).map((file, index) => {
        const isMeasured = this.ctx.cache.getTestSpecificationResult(file) !== undefined
        // Between files that share processes, files with processes of their own would end these.
        const kind = file.project.config.isolate ? 0 : file.project.name === 'system' ? 1 : 2
        return [file, [kind, isMeasured ? 1 : 0, isMeasured ? index : -textOf(file.moduleId)]]
      }),
    )
    return files.toSorted((a, b) => compare(order.get(a) ?? [], order.get(b) ?? []))
  }
}

/** Characters of a file and of what it imports from the tests: a file of three lines may run a suite of a thousand. */
function textOf(file: string): number {
  const text = readFileSync(file, 'utf8')
  const imported = [...text.matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path))
  const helpers = imported.filter((path) => path.startsWith(tests))
  return [text, ...helpers.map((path) => readFileSync(path, 'utf8'))].reduce((sum, { length }) => sum + length, 0)
}

function compare(a: readonly number[], b: readonly number[]): number {
  const [x = 0, y = 0] = a.flatMap((each, index) => (each === b[index] ? [] : [each, b[index]]))
  return x - y
}
