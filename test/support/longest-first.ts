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
    const isMeasured = (file: TestSpecification) => this.ctx.cache.getTestSpecificationResult(file) !== undefined
    const unmeasured = files
      .filter((file) => !isMeasured(file))
      .map((file) => ({ file, text: textOf(file.moduleId) }))
      .sort((a, b) => b.text - a.text)
    const measured = await super.sort(files.filter(isMeasured))
    return [...unmeasured.map(({ file }) => file), ...measured].sort((a, b) => placeOf(a) - placeOf(b))
  }
}

/** Between files that share processes, files with processes of their own would end these. */
function placeOf({ project }: TestSpecification): number {
  if (project.config.isolate) return 0
  return project.name === 'system' ? 1 : 2
}

/** Characters of a file and of what it imports from the tests: a file of three lines may run a suite of a thousand. */
function textOf(file: string): number {
  const text = readFileSync(file, 'utf8')
  const imported = [...text.matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path))
  const helpers = imported.filter((path) => path.startsWith(tests))
  return [text, ...helpers.map((path) => readFileSync(path, 'utf8'))].reduce((sum, { length }) => sum + length, 0)
}
