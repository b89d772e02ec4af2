import { commandLine } from '../command-line.ts'
import type { Project } from '../daemon.ts'
import type { SoakService } from './soak-service.ts'
import type { SoakState } from './soak-state.ts'

/** Answers the question whether a match or an activation was made, after a look at the service. */
export class SoakPerson {
  readonly #project: Pick<Project, 'options'>
  readonly #state: SoakState
  readonly #service: SoakService
  decisions = 0

  constructor(project: Pick<Project, 'options'>, state: SoakState, service: SoakService) {
    this.#project = project
    this.#state = state
    this.#service = service
  }

  async decide(): Promise<void> {
    const asked = (await this.#state.runs()).filter(({ status }) => status === 'waiting')
    for (const { runId, name } of asked) {
      const step = await this.#state.waitsAt(runId)
      const { activations, matches } = await this.#service.made()
      const isThere = (step === 'match' ? matches : activations).includes(name)
      const args = ['runs', 'resume', runId, '--step', step, isThere ? '--done' : '--again']
      await commandLine(args, this.#project.options)
      this.decisions += 1
    }
  }
}
