import { chapter } from '../chapter.ts'

export const pages = [
  chapter('pages', 'Client (OAuth application)', {
    'pages.applications.create':
      'Operators of a school create its member applications under Developers, OAuth applications.',
    'pages.applications.behind-beta':
      'The Developers area appears in the admin area once the beta feature "MCP connections" is on.',
    'pages.applications.client-id': 'The page of an application shows the client_id to hand out.',
    'pages.applications.confidential-checkbox':
      'A checkbox makes the new application confidential; without it, it is public.',
    'pages.applications.secret-shown':
      'The secret of a confidential application is shown when issued.',
    'pages.applications.scopes': 'The form for a new application offers the scopes to choose from.',
    'pages.applications.list-shows-kind':
      'The list says of each application: public or confidential.',
    'pages.applications.page-shows-kind':
      'The page of an application says whether it is public or confidential.',
  }),

  chapter('pages', 'Authentication', {
    'pages.consent.interactive':
      'Consent is given by a person, on a page, at the authorization endpoint.',
  }),

  chapter('pages', 'product decision', {
    'pages.applications.beta-reveals-only':
      'With the beta feature off, existing clients, tokens and /mcp keep working.',
    'pages.clients.always':
      'Apps and assistants, where operators see, review and stop clients of every kind, is there with the beta feature off as well; so are the signing keys.',
    'pages.explorer.beta':
      'The explorer and its application exist only with the beta feature on; elsewhere its page says that it is off.',
    'pages.explorer.built-in':
      'The application of the explorer is listed as built in; it can be switched off, not changed or deleted.',
    'assistants.template':
      'Owners and admins make an application for an assistant from a template; its fields can be changed, and are judged like those of any application. One that is switched off stays listed, as off.',
    'assistants.page':
      'Use with an assistant shows members the address, the client_id and the steps of every assistant that the school offers now.',
    'assistants.none':
      'A school that offers no assistant says so, and tells an owner or admin where to add one; no page promises one where the beta feature is off.',
    'assistants.works':
      'With what a member copies from that page an assistant signs in, calls tools and refreshes.',
    'assistants.copy':
      'Copy buttons need one script, which the policy of the page names by its whole address; without it the text can be selected.',
    'pages.applications.secret-renewed':
      'The page of an application renews its secret, says until when the old one works, and ends it.',
    'pages.applications.admins-only': 'Only owners and admins get into the admin area.',
    'pages.paths':
      'Home, sign-in, sign-out, account, connected apps, admin and docs are at their documented paths.',
    'pages.sign-in.form': 'Sign-in is a single form with email and password.',
    'pages.sign-in.argon2id': 'Passwords are kept as argon2id hashes.',
    'pages.sign-in.throttled':
      'Failed sign-ins are throttled by account and by address; successful ones never count.',
    'pages.sign-in.no-oracle': 'A refusal does not tell whether the account exists.',
    'pages.sign-in.known-browser':
      'A browser that signed in before is not locked out by the wrong tries of strangers.',
    'pages.password.rule':
      'A new password has 15 characters or more and is not common, repeated or made of what is known about the person.',
    'pages.password.replaced':
      'A shorter password from before is replaced at the next sign-in, in the same browser, before a session begins.',
    'pages.password.reset-ends-all':
      'A new password by a link ends all sessions, grants and pending codes of the person, at every school.',
    'pages.password.change-offers':
      'Changing the password ends all other sessions and offers to disconnect all apps.',
    'pages.forgotten-password.not-blocked':
      'Requests of strangers do not keep a person from getting a link, and lead to one mail.',
    'pages.password.mail':
      'A new password brings a mail and an audit entry at a school where the person has a role, wherever it was set.',
    'pages.mail.fair':
      'Mails of one school do not hold up those of others, and a school sends at most 1,000 links in an hour.',
    'pages.mail.no-role': 'A school sends no mail to a person who has no role there.',
    'pages.mail.given-role':
      'Until a person has signed in at a school, it sends a link that sets a password only if the account has none.',
    'pages.session.cookie-https':
      'On https the session cookie is Secure, HttpOnly and has the __Host- prefix.',
    'pages.session.cookie-http': 'On http the name of the cookie includes the port.',
    'pages.session.rotated': 'Signing in starts a fresh session id.',
    'pages.consent.buttons': 'Consent is a single form: Allow, or Deny.',
    'pages.consent.document-client':
      'For a metadata-document client consent shows its host, the redirect host and that it is unreviewed.',
    'pages.consent.operator-roles':
      'People who may not authorize an operator client see the reason and can go back.',
    'pages.account.apps':
      'Connected apps lists the live authorizations; ending one revokes all of its pairs.',
    'pages.account.apps.switched-off':
      'Connected apps says of an app that is switched off that it cannot use the account now.',
    'pages.consent.variant':
      'The consent page names the data that the Member API of this origin has, not that of the other variant.',
    'pages.security.headers':
      'Pages refuse framing, inline script and third-party content, and are not stored by caches.',
    'pages.security.form-token':
      'A form from another site, without the session’s token, changes nothing.',
    'pages.security.303': 'After a POST comes a 303.',
    'pages.security.escaping':
      'Markup and direction characters in a client name are shown as text.',
    'pages.school.managed':
      'Owners and admins create, find, change and remove every kind of object of the school, each with an audit entry.',
    'pages.school.inline-errors':
      'A form with mistakes is shown again with the typed values and each mistake beside its field.',
    'pages.school.tenancy': 'In the admin area another school’s objects are not found.',
    'pages.school.admins-only': 'Lecturers and students cannot open the school pages.',
    'pages.school.forged': 'A forged post to the school pages changes nothing.',
    'pages.school.escaping': 'Script and markup in any field of a form is shown as text.',
    'pages.school.stale':
      'A form never silently overwrites a change that another operator made meanwhile.',
    'pages.school.curriculum': 'Sections and lectures are put in order without a script.',
    'pages.school.appearance':
      'Colours and logo are checked, and have a preview before they are saved.',
    'pages.content.markdown': 'School-written text is Markdown; raw HTML in it stays text.',
    'pages.content.rendered':
      'A text that visitors read is rendered when it is written, and kept by the version of the renderer; a request of a visitor never renders.',
    'pages.content.bounded':
      'Whatever a school writes, rendering it holds up no request; a text that takes too long is shown as it was written.',
    'pages.content.uploads':
      'An uploaded file is only ever downloaded: attachment, nosniff, sandboxed.',
  }),
] as const
