-- The people of an app, in pages, and how many they are, without the rounds of access that were ended.
create index concurrently if not exists authorizations_of_app
  on authorizations (school_id, client_id, access_round, user_id);
