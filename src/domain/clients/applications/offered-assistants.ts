import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { ASSISTANT_IDS, type Assistant, isAssistant } from './assistants.ts'

/** An application for an assistant that members can connect now. */
export interface OfferedAssistant {
  readonly assistant: Assistant
  readonly clientId: string
  readonly name: string
  readonly scopes: readonly string[]
}

/** What the school offers its members: not what is switched off. In the order of the templates, oldest first. */
export async function offeredAssistants(at: SchoolDb): Promise<readonly OfferedAssistant[]> {
  const rows = await at
    .from('clients')
    .select(['client_id', 'name', 'scopes', 'assistant'])
    .where('assistant', 'is not', null)
    .where('deleted_at', 'is', null)
    .where('disabled_at', 'is', null)
    .orderBy('created_at')
    .orderBy('client_id')
    .execute()
  return rows
    .flatMap(({ assistant, client_id: clientId, name, scopes }) =>
      isAssistant(assistant) ? [{ assistant, clientId, name, scopes }] : [],
    )
    .sort((a, b) => ASSISTANT_IDS.indexOf(a.assistant) - ASSISTANT_IDS.indexOf(b.assistant))
}
