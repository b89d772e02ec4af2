import { controlOperation, noInput } from './control-operation.ts'

export const participantOperations = {
  'participants.list': controlOperation({
    method: 'GET',
    path: '/participants',
    summary: 'List all participants, each with its base URL and token.',
    input: noInput,
    answer: '`participants`, each with `id`, `name`, `baseUrl` and `token`',
    handle: ({ network, tokens, origin }) => ({
      participants: network.participants.map(({ id, name }) => ({
        id,
        name,
        baseUrl: `${origin()}/p/${id}`,
        token: tokens.of(id),
      })),
    }),
  }),
}
