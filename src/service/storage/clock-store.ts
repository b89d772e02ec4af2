import type { DatabaseSync } from 'node:sqlite'
import type { ClockState } from '../control/service-clock.ts'
import { statement } from './statement.ts'

export interface ClockStore {
  /** Undefined if the service uses the machine's time. */
  read(): ClockState | undefined
  write(state: ClockState): void
}

export function createClockStore(db: DatabaseSync): ClockStore {
  const read = statement<ClockState>(db, 'SELECT offset_ms AS offsetMs, frozen_at AS frozenAt FROM service_clock')
  const write = statement(
    db,
    `INSERT INTO service_clock (id, offset_ms, frozen_at) VALUES (1, :offsetMs, :frozenAt)
      ON CONFLICT DO UPDATE SET offset_ms = excluded.offset_ms, frozen_at = excluded.frozen_at`,
  )
  return {
    read: () => read.get({}),
    write: (state) => void write.run({ ...state }),
  }
}
