import type { Order, Subject, SubjectName } from './subject.ts'
import { openPlain, openRecording } from './subjects/audience.ts'
import { openOnPostgres } from './subjects/audience-postgres.ts'
import { openDbos } from './subjects/dbos.ts'
import { openOpenWorkflow } from './subjects/openworkflow.ts'
import { openRestate } from './subjects/restate.ts'

const SUBJECTS: Record<SubjectName, (folder: string) => Promise<Subject>> = {
  audience: openRecording,
  'audience, plain steps': openPlain,
  'audience on Postgres': openOnPostgres,
  DBOS: openDbos,
  OpenWorkflow: openOpenWorkflow,
  Restate: openRestate,
}

const [, , name, folder] = process.argv
if (process.send && name && folder) serve(await SUBJECTS[name as SubjectName](folder))

function serve(subject: Subject): void {
  process.on('message', async (order: Order) => {
    try {
      process.send?.({ value: await answer(subject, order) })
    } catch (error) {
      process.send?.({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
    if (order.kind === 'close') process.disconnect()
  })
  process.send?.({ value: 'ready' })
}

async function answer(subject: Subject, order: Order): Promise<unknown> {
  switch (order.kind) {
    case 'run': {
      const begin = performance.now()
      await subject.run(order.runs, order.concurrency)
      return performance.now() - begin
    }
    case 'steps':
      return subject.stepMs(order.runs)
    case 'close':
      return subject.close()
  }
}
