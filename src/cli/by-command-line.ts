import type { Actor, AuditedActor } from '../domain/actor/actor.ts'

/** The command line knows no person: its users can read the database anyway. */
export const BY_COMMAND_LINE: AuditedActor = { via: 'command_line' }

/** At a school the command line may do what an owner may. */
export function commandLineAt(school: { readonly origin: string }): Actor {
  return { via: 'command_line', roles: ['owner'], origin: school.origin }
}
