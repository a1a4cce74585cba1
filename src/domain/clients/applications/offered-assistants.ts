import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { ASSISTANT_IDS, type Assistant, isAssistant } from './assistants.ts'

/** An application for an assistant that members can connect now. */
export interface OfferedAssistant {
  readonly assistant: Assistant
  readonly clientId: string
  readonly name: string
  readonly scopes: readonly string[]
}

/** An application for an assistant as operators see it. */
export interface ConnectedAssistant extends OfferedAssistant {
  readonly disabled: boolean
}

/** What the school offers its members: not what is switched off. */
export async function offeredAssistants(at: SchoolDb): Promise<readonly OfferedAssistant[]> {
  return (await connectedAssistants(at)).filter(({ disabled }) => !disabled)
}

/** Also what is switched off. In the order of the templates, oldest first. */
export async function connectedAssistants(at: SchoolDb): Promise<readonly ConnectedAssistant[]> {
  const rows = await at
    .from('clients')
    .select(['client_id', 'name', 'scopes', 'assistant', 'disabled_at'])
    .where('assistant', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('client_id')
    .execute()
  return rows
    .flatMap(({ assistant, client_id: clientId, name, scopes, disabled_at }) =>
      isAssistant(assistant)
        ? [{ assistant, clientId, name, scopes, disabled: disabled_at !== null }]
        : [],
    )
    .sort((a, b) => ASSISTANT_IDS.indexOf(a.assistant) - ASSISTANT_IDS.indexOf(b.assistant))
}
