import { chapter } from '../chapter.ts'

export const mcpProtocol = [
  chapter('mcp', 'product decision', {
    'mcp.post': 'Messages are sent by POST to /mcp.',
    'mcp.stateless': 'There are no sessions.',
    'mcp.security-schemes':
      'Each listed tool declares its security schemes at the top level and under _meta.',
    'mcp.json-responses': 'Answers are JSON, not event streams.',
    'mcp.revision.modern': 'Revision 2026-07-28 is supported.',
    'mcp.revision.older':
      'Clients of the revisions with initialize, 2025-03-26 to 2025-11-25, use the same URL.',
    'mcp.get-and-delete': 'GET and DELETE are 405 with Allow.',
    'mcp.batches': 'A JSON-RPC array is refused.',
    'mcp.cache-scope.private':
      'Tool lists are marked private for caches, also when the caller is anonymous.',
    'mcp.two-names':
      'The endpoint has two names, /mcp for operators and /mcp/member for members, with the same tools.',
    'mcp.metadata.own':
      'A challenge points at the protected-resource document whose resource is the called name.',
    'mcp.metadata.others': 'Challenges of all other endpoints point at the document of the origin.',
    'mcp.cors': 'Browser clients of any origin can call /mcp, and read its refusals.',
    'mcp.older-origins': 'Older origins list no payment or schedule tools.',
    'mcp.same-answers': 'Member tools give the answers that the Member API gives.',
    'mcp.rate-limit': 'Tool calls are limited in rate.',
    'mcp.rate-limit.all':
      'Every message, whatever its method, is counted before its body is read: by address without a token, by school and address with a bad one, by authorization with a good one. Strangers at an address do not use up what callers with a good token have.',
    'mcp.body-limit':
      'Without a token a message has at most 64 KiB and 2,000 names and values; with one 1 MiB and 20,000.',
    'mcp.answers.length':
      'An answer has at most 80,000 characters, or as many as max_characters says, up to 200,000; only one row that is longer alone is shown whole.',
    'mcp.answers.declared':
      'A reading tool whose caller may say how long its answer is declares the longest one where Claude Code looks for it.',
    'mcp.answers.cursor':
      'An answer that was cut has a cursor; following the cursors gives everything exactly once.',
    'mcp.answers.one-version':
      'Parts of an answer come from one version: after a change the next part is refused.',
    'mcp.answers.writes':
      'A change is never repeated or hidden by the length of its answer; it takes no cursor.',
  }),

  chapter('mcp', 'product decision', {
    'assistants.connect':
      'Assistants connect as operator and as member by the requests that their public code, documents and threads show: challenge, discovery, client_id, authorization, token, tools, refresh.',
    'assistants.refused-in-words':
      'Where an assistant cannot connect, its user reads what is wrong and what to do, or whom to ask.',
    'assistants.documented':
      'docs/assistants.md names for each of them the sources with dates, what is known and assumed, and what works.',
  }),
] as const
