import { relative, resolve } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { isWholeSystem, textOf } from './test-groups.ts'

const root = resolve(import.meta.dirname, '../..')

/**
 * The files that take longest start first, as measured by Vitest in this checkout. A fresh checkout has no
 * measurements, so there the files with the most text start first: for 618 files, the rank correlation of the two
 * orders was 0.73 (Spearman). Every second file is a test of a whole system, while there are any, so that files that
 * wait and files that compute share the processors.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isMeasured = (file: TestSpecification) => this.ctx.cache.getTestSpecificationResult(file) !== undefined
    const unmeasured = files
      .filter((file) => !isMeasured(file))
      .map((file) => ({ file, text: textOf(file.moduleId).length }))
      .sort((a, b) => b.text - a.text)
    const measured = await super.sort(files.filter(isMeasured))
    const longest = [...unmeasured.map(({ file }) => file), ...measured]
    // A file with its own process, between files that share processes, would end those processes.
    const alone = longest.filter(({ project }) => project.config.isolate)
    const shared = longest.filter(({ project }) => !project.config.isolate)
    return [
      ...alone,
      ...alternating(
        shared.filter(isSystem),
        shared.filter((file) => !isSystem(file)),
      ),
    ]
  }
}

const isSystem = ({ moduleId }: TestSpecification) => isWholeSystem(relative(root, moduleId))

function alternating<T>(some: readonly T[], others: readonly T[]): T[] {
  const longer = Array.from({ length: Math.max(some.length, others.length) })
  return longer.flatMap((_, at) => [...some.slice(at, at + 1), ...others.slice(at, at + 1)])
}
