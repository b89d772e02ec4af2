import { DatabaseSync } from 'node:sqlite'
import { onTestFinished, vi } from 'vitest'

/**
 * Watches the SQLite databases that are opened from now on. The returned function repeats some work and counts what
 * SQLite compiles meanwhile: it compiles a prepared statement again only if its plan depends on a value.
 */
export function watchCompilations(): (work: () => unknown) => Promise<number> {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  onTestFinished(() => prepare.mockRestore())
  return async (work) => {
    let compiled = 0
    await work()
    for (const db of new Set(prepare.mock.contexts as DatabaseSync[]))
      db.setAuthorizer(() => {
        compiled += 1
        return 0
      })
    // Setting the authorizer makes SQLite compile all statements once more.
    await work()
    compiled = 0
    await work()
    return compiled
  }
}
