import { afterEach, beforeEach } from 'vitest'
import type { Place } from './run-writer.ts'

/**
 * Opens stores for the tests of a suite, in one place per test. After the test, it closes those that are still open.
 */
export function openedAt<Store extends { close(): Promise<void> }>(place: () => Place<Store, [service: string]>) {
  let where: ReturnType<typeof place>
  let open: Store[]
  const closeAll = async () => {
    await Promise.all(open.splice(0).map((opened) => opened.close()))
  }
  beforeEach(() => {
    where = place()
    open = []
  })
  afterEach(async () => {
    await closeAll()
    await where.remove()
  })
  return {
    closeAll,
    async at(service: string): Promise<Store> {
      const opened = await where.open(service)
      open.push(opened)
      return opened
    },
  }
}
