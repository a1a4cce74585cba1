import { coursesOf, PERSON, peopleOf, type SchoolSize, someOf } from '../school-size.ts'
import { each, rowTexts } from './row-texts.ts'

const GIVEN = [
  ...['Ada', 'Bela', 'Chiara', 'Dmitri', 'Esra', 'Femi', 'Greta', 'Hana', 'Ines', 'Jonas', 'Kwame'],
  ...['Lena', 'Miguel', 'Noor', 'Olga', 'Priya', 'Quentin', 'Rosa', 'Sven', 'Tomoko', 'Umberto'],
  ...['Vera', 'Wanda', 'Xenia', 'Yusuf', 'Zofia', '山田', '佐藤', '陳'],
]
const FAMILY = [
  ...['Abara', 'Bianchi', 'Castillo', 'Dupont', 'Eriksen', 'Fischer', 'Garcia', 'Horvat', 'Ivanov'],
  ...['Jansen', 'Kowalski', 'Lindqvist', 'Moreau', 'Novak', 'Okafor', 'Petrov', 'Quispe', 'Rossi'],
  ...[
    'Santos',
    'Tanaka',
    'Ueda',
    'Virtanen',
    'Weber',
    'Ximenes',
    'Yamamoto',
    '太郎',
    '花子',
    '美玲',
  ],
]
const ZONES = { big: 'Asia/Taipei', small: 'Asia/Taipei' } as const
const SCOPES = '{account:read,account:write,email,openid,profile}'

/** The school, its people, its clients and what the clients were given. */
export function peopleRows(size: SchoolSize): readonly string[] {
  const { school, id, ago, oneOf } = rowTexts(size)
  const people = peopleOf(size)
  const authorizations = size.thousands * 200
  const apps = someOf(size)
  const name = `${oneOf('n', GIVEN)} || ' ' || ${oneOf(`n / ${GIVEN.length}`, FAMILY)}`
  return [
    `insert into schools (id, subdomain, origin, name, time_zone, mcp_connections)
     values (${school}, '${size.name}', 'http://${size.host}', 'The ${size.name} school', '${ZONES[size.name]}', true)`,
    `insert into users (id, email, name, avatar_url, created_at)
     select ${id('person', 'n')}, 'person' || n || '@${size.name}.bench.test',
       case n when ${PERSON.student} then 'Zephyrine Quillfeather' else ${name} end, null, ${ago('n', people)}
     from ${each('n', people)}`,
    `insert into school_members (school_id, user_id, roles, joined_at, signed_in_at)
     select ${school}, ${id('person', 'n')},
       case when n = ${PERSON.owner} then '{owner}'::text[] when n = ${PERSON.lecturer} then '{lecturer}'
         when n between 10 and 12 then '{admin}' when n between 100 and ${99 + someOf(size)} then '{lecturer,student}'
         else '{student}' end,
       ${ago('n', people)}, case when n % 4 > 0 then ${ago('n', people)} end
     from ${each('n', people)}`,
    `insert into clients (school_id, client_id, kind, audience, name, redirect_uris, scopes, created_by, created_at)
     select ${school}, 'app' || n, 'application', 'member', 'App ' || n, '{https://app.bench.test/callback}',
       '${SCOPES}', ${id('person', PERSON.owner)}, ${ago('n', apps)} from ${each('n', apps)}`,
    `insert into clients (school_id, client_id, kind, audience, name, redirect_uris, scopes)
     values (${school}, 'ops', 'application', 'operator', 'Operations', '{https://ops.bench.test/callback}', '{openid}')`,
    `insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource, created_at, last_used_at, revoked_at)
     select ${id('authorization', 'n')}, ${school}, 'app1', ${id('person', `n % ${people} + 1`)}, 'member', '${SCOPES}',
       'http://${size.host}', ${ago('n', authorizations)}, now() - interval '1 day', case when n % 10 = 0 then now() end
     from ${each('n', authorizations)}`,
    `insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource, created_at, last_used_at)
     select ${id('busy authorization', 'n')}, ${school}, 'app' || 1 + n % ${apps}, ${id('person', PERSON.busy)}, 'member',
       '${SCOPES}', 'http://${size.host}', ${ago('n', size.thousands)}, now() - interval '1 hour'
     from ${each('n', size.thousands)}`,
    `insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash, issued_at,
       access_expires_at, refresh_expires_at, first_used_at)
     select ${id('pair', 'n')}, ${id('authorization', 'n')}, ${school}, '${SCOPES}', sha256(('a' || n)::bytea),
       sha256(('r' || n)::bytea), now() - interval '1 day', now() - interval '22 hours', now() + interval '900 days',
       now() - interval '1 day'
     from ${each('n', authorizations)}`,
    `insert into audit_entries (id, school_id, at, action, outcome, actor_user_id, client_id, subject, detail)
     select ${id('entry', 'n')}, ${school}, ${ago('n', people)},
       ${oneOf('n', ['token.refreshed', 'token.issued', 'token.refreshed', 'operation.done', 'member.roles_changed', 'authorization.granted'])},
       case when n % 50 = 0 then 'refused' else 'done' end, ${id('person', `n % ${people} + 1`)},
       'app' || 1 + n % ${apps}, ${id('person', 'n')}::text, '{"operation":"students.change"}'
     from ${each('n', people)}`,
    `insert into notifications (school_id, id, user_id, kind, title, body, created_at, read_at)
     select ${school}, ${id('notification', 'n')}, ${id('person', `n % ${people} + 1`)}, 'announcement',
       'News ' || n, 'There is something new.', ${ago('n', size.thousands * 500)}, case when n % 3 = 0 then now() end
     from ${each('n', size.thousands * 500)}
     union all
     select ${school}, ${id('busy notification', 'n')}, ${id('person', PERSON.busy)}, 'announcement',
       'News ' || n, 'There is something new.', ${ago('n', size.thousands * 20)}, case when n % 3 = 0 then now() end
     from ${each('n', size.thousands * 20)}`,
    `insert into notification_subscriptions (school_id, user_id, topic, channel, enabled)
     select ${school}, ${id('person', 'n')}, 'announcements', 'in_app', n % 2 = 0
     from ${each('n', size.thousands * 100)}`,
    `insert into files (school_id, id, name, content_type, size_bytes, sha256, storage_key, created_at)
     select ${school}, ${id('file', 'n')}, 'file-' || n || '.pdf', 'application/pdf', 1000 + n, sha256(('f' || n)::bytea),
       '${size.name}/' || n, ${ago('n', coursesOf(size))} from ${each('n', coursesOf(size))}`,
  ]
}
