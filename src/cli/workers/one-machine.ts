import { AudienceError } from '../../core/errors.ts'

/** The state is a folder: there are no workers to speak of. */
export function oneMachine(state: string): AudienceError {
  return new AudienceError({
    code: 'state-is-folder',
    kind: 'invalid',
    message: `the state is the folder ${state}, which one audience start works on`,
    hint: '`audience status` shows it; stop it with SIGTERM or Ctrl-C, and the next start resumes its runs. Workers share a PostgreSQL: docs/many-machines.md',
  })
}
