import CSQLite

/// The tables of the index and how older ones become those.
///
/// Rows are inserted and deleted, and never changed, so that `tally` is right: it says without counting how much there is.
enum AssetSchema {
  /// Each makes of the version before it the next one; the first, of nothing the first version.
  static let migrations = [
    """
    CREATE TABLE asset (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      kind INTEGER NOT NULL,
      path TEXT NOT NULL UNIQUE,
      size INTEGER NOT NULL,
      width INTEGER,
      height INTEGER,
      duration REAL,
      time INTEGER NOT NULL,
      offset INTEGER NOT NULL,
      camera TEXT,
      format TEXT,
      rotation INTEGER,
      latitude REAL,
      longitude REAL,
      altitude REAL,
      parent TEXT,
      origin TEXT NOT NULL,
      favorite INTEGER NOT NULL,
      recovered INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      state INTEGER NOT NULL,
      damage TEXT,
      trashed INTEGER
    );
    CREATE INDEX asset_time ON asset(state, time, id);
    CREATE INDEX asset_kind ON asset(state, kind, time, id);
    CREATE INDEX asset_camera ON asset(state, camera, time, id);
    CREATE INDEX asset_favorite ON asset(state, time, id) WHERE favorite = 1;
    CREATE INDEX asset_place ON asset(state, latitude) WHERE latitude IS NOT NULL;
    CREATE INDEX asset_inode ON asset(inode);
    CREATE INDEX asset_size ON asset(size);
    CREATE INDEX asset_age ON asset(time, id) WHERE state < 2 AND favorite = 0;
    CREATE INDEX asset_trashed ON asset(trashed) WHERE state = 2;
    CREATE INDEX asset_origin ON asset(state, origin, time, id);
    CREATE TABLE tally (
      state INTEGER, kind INTEGER, files INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (state, kind)
    ) WITHOUT ROWID;
    CREATE TRIGGER asset_comes AFTER INSERT ON asset BEGIN
      INSERT INTO tally VALUES (new.state, new.kind, 1, new.size)
        ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + new.size;
    END;
    CREATE TRIGGER asset_goes AFTER DELETE ON asset BEGIN
      UPDATE tally SET files = files - 1, bytes = bytes - old.size WHERE state = old.state AND kind = old.kind;
    END;
    CREATE TABLE fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
    """
  ]

  /// The version that this program writes.
  static var version: Int { migrations.count }

  /// What came of opening a database.
  enum Outcome: Equatable {
    /// Its tables were there, or an older version's were, and are now this one's.
    case ready
    /// It was empty, and has empty tables now.
    case made
    /// A newer program made it; nothing was changed.
    case newer(Int)
  }

  /// Brings a database to the version of the last of some migrations.
  static func prepare(_ database: Database, migrations: [String] = migrations) throws(DatabaseError) -> Outcome {
    let version = try database.first("PRAGMA user_version") { $0.integer(0) } ?? 0
    guard version <= migrations.count else { return .newer(version) }
    try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0")
    for (index, step) in migrations.enumerated().dropFirst(version) {
      try database.transaction { () throws(DatabaseError) in
        try database.execute(step)
        try database.execute("PRAGMA user_version=\(index + 1)")
      }
    }
    return version == 0 ? .made : .ready
  }
}
