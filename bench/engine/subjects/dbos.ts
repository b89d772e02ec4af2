import { DBOS } from '@dbos-inc/dbos-sdk'
import { startPostgres, stopPostgres } from '../../../test/support/start-postgres.ts'
import { STEPS, StepTimes, type Subject, times } from '../subject.ts'

/**
 * DBOS with its own PostgreSQL. Workflows are called as functions, as its documentation does if the caller needs the
 * result.
 */
export async function openDbos(): Promise<Subject> {
  const postgres = await startPostgres()
  const stepTimes = new StepTimes()
  const workflow = DBOS.registerWorkflow(
    async () => {
      let sum = 0
      for (const name of STEPS) {
        sum += await DBOS.runStep(
          async () => {
            stepTimes.stepBegins()
            return 1
          },
          { name },
        )
      }
      return sum
    },
    { name: 'four' },
  )
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: `${postgres.url}/bench`,
    systemDatabasePoolSize: 20,
    logLevel: 'error',
    tracingEnabled: false,
  })
  await DBOS.launch()
  return {
    run: (runs, concurrency) => times(runs, concurrency, () => workflow()),
    async stepMs(runs) {
      stepTimes.gapsMs.length = 0
      for (let run = 0; run < runs; run += 1) {
        stepTimes.runBegins()
        await workflow()
      }
      return [...stepTimes.gapsMs]
    },
    async close() {
      await DBOS.shutdown()
      stopPostgres(postgres.data)
    },
  }
}
