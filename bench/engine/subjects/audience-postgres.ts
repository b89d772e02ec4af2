import { openBenchWorker, startDatabase } from '../../distributed/open-worker.ts'
import type { Subject } from '../subject.ts'
import { fourSteps, recording } from './four-steps.ts'

/** One worker with its own PostgreSQL. */
export async function openOnPostgres(): Promise<Subject> {
  const database = await startDatabase()
  const subject = await fourSteps((stepBegins) =>
    openBenchWorker(database.url, (context) => {
      stepBegins()
      return recording(context)
    }),
  )
  return {
    ...subject,
    async close() {
      await subject.close()
      database.stop()
    },
  }
}
